import IkranIsolation

// Decodes for another program, which starts it: see `DecoderPool`.
DecoderWorker.run()
