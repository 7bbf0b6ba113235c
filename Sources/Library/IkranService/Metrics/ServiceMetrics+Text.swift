extension ServiceMetrics {
  /// Everything counted, in the text format 0.0.4 of Prometheus.
  func text(
    connections: Int,
    tiers: [GuardedTier] = [],
    sources: SharedSources? = nil
  ) -> String {
    counters + (tiers.isEmpty ? "" : text(of: tiers)) + (sources.map(text(of:)) ?? "") + histograms
      + gauges(connections)
  }

  private var counters: String {
    counter("requests_total", help: "requests", [("", requestCount)])
      + counter(
        "status_codes_total",
        help: "responses by status",
        sentStatuses.map { ("{status=\"\($0.status)\"}", $0.count) }
      )
      + counter(
        "errors_total",
        help: "errors by kind",
        errorCounts.map { ("{type=\"\($0.kind)\"}", $0.count) }
      )
      + counter(
        "results_total",
        help: "pictures by where they came from",
        Origin.allCases.map { ("{from=\"\($0)\"}", count(of: $0)) }
      )
      + counter(
        "cache_failures_total",
        help: "what caches on the disk could not read or write",
        CacheFaults.Cache.allCases.map { ("{cache=\"\($0)\"}", faults.count(of: $0)) }
      )
  }

  private var histograms: String {
    let (whole, part) = ("request_duration_seconds", "request_span_duration_seconds")
    var text = head(whole, type: "histogram", help: "durations of requests")
    text += rows(whole, label: "", of: durations)
    text += head(part, type: "histogram", help: "durations of the parts of requests")
    for span in Span.allCases {
      text += rows(part, label: "span=\"\(span.name)\"", of: spans[span.rawValue])
    }
    return text
  }

  private func gauges(_ connections: Int) -> String {
    let (open, images) = (inProgress, imagesInProgress)
    let use = Double(open) / Double(workers) * 100
    return gauge("requests_in_progress", help: "open requests", "\(open)")
      + gauge("images_in_progress", help: "pictures that are being made", "\(images)")
      + gauge("workers", help: "pictures that are made at a time", "\(workers)")
      + gauge("workers_utilization", help: "open requests in percent of the workers", "\(use)")
      + gauge("connections", help: "open connections", "\(connections)")
  }

  /// The lines of one histogram.
  private func rows(_ name: String, label: String, of histogram: borrowing Histogram) -> String {
    let counts = histogram.counts
    let begun = label.isEmpty ? "" : label + ","
    let labels = label.isEmpty ? "" : "{\(label)}"
    var text = ""
    for (bound, count) in zip(Histogram.bounds.map { "\($0)" } + ["+Inf"], counts) {
      text += "\(prefix)\(name)_bucket{\(begun)le=\"\(bound)\"} \(count)\n"
    }
    text += "\(prefix)\(name)_sum\(labels) \(histogram.seconds)\n"
    return text + "\(prefix)\(name)_count\(labels) \(counts.last ?? 0)\n"
  }

  private func text(of tiers: [GuardedTier]) -> String {
    let values = tiers.flatMap { tier in
      GuardedTier.Outcome.allCases.map { outcome in
        (
          "{tier=\"\(tier.tier.name)\",outcome=\"\(outcome.rawValue)\"}",
          tier.count(of: outcome)
        )
      }
    }
    return counter("tier_calls_total", help: "calls of shared stores by their ends", values)
  }

  private func text(of sources: SharedSources) -> String {
    let values = SharedSources.Outcome.allCases.map {
      ("{outcome=\"\($0.rawValue)\"}", sources.count(of: $0))
    }
    return counter("shared_sources_total", help: "looks for sources in shared stores", values)
  }

  private func head(_ name: String, type: String, help: String) -> String {
    "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(type)\n"
  }

  private func counter(
    _ name: String,
    help: String,
    _ values: [(labels: String, count: Int)]
  ) -> String {
    head(name, type: "counter", help: help)
      + values.map { "\(prefix)\(name)\($0.labels) \($0.count)\n" }.joined()
  }

  private func gauge(_ name: String, help: String, _ value: String) -> String {
    head(name, type: "gauge", help: help) + "\(prefix)\(name) \(value)\n"
  }
}
