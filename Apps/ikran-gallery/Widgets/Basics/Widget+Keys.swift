import CGTK

extension Widget {
  /// Calls a closure when keys are pressed, such as `Left`, that the focused widget in this one has
  /// not taken.
  func onRemainingKeys(_ keys: String, _ body: @escaping @MainActor () -> Void) {
    addKeys(keys, phase: GTK_PHASE_BUBBLE, scope: GTK_SHORTCUT_SCOPE_LOCAL) {
      body()
      return true
    }
  }

  /// Calls a closure when keys are pressed; the others get them when it returns false.
  func addKeys(
    _ keys: String,
    phase: GtkPropagationPhase,
    scope: GtkShortcutScope,
    _ body: @escaping @MainActor () -> Bool
  ) {
    guard let controller = gtk_shortcut_controller_new(),
      let trigger = gtk_shortcut_trigger_parse_string(keys)
    else { return }
    let action = gtk_callback_action_new(
      { _, _, data in CallbackData<Void, Bool>.call(data, ()) == true ? 1 : 0 },
      CallbackData<Void, Bool>(body).retained(),
      releaseCallbackData
    )
    gtk_event_controller_set_propagation_phase(controller, phase)
    gtk_shortcut_controller_set_scope(controller, scope)
    gtk_shortcut_controller_add_shortcut(controller, gtk_shortcut_new(trigger, action))
    gtk_widget_add_controller(pointer, controller)
  }
}
