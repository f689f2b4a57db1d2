import { Context, Metric } from "effect"

const duration = Metric.histogram("http_server_request_duration_seconds", {
  description: "Time from a request's head to its answer, by method, route and status",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const noContext = Context.empty()
const byLabels = new Map<string, ReturnType<typeof withLabels>>()

/** The names of OpenTelemetry's semantic conventions, as Prometheus spells them. */
const withLabels = (method: string, route: string, status: number) =>
  Metric.withAttributes(duration, {
    http_request_method: method,
    http_route: route,
    http_response_status_code: String(status)
  })

/** Records a request under its route, never under its path: ids would make a series each. */
export const observeRequest = (method: string, route = "other", status: number, ms: number) => {
  const labels = `${method} ${route} ${status}`
  let metric = byLabels.get(labels)
  if (metric === undefined) {
    metric = withLabels(method, route, status)
    byLabels.set(labels, metric)
  }
  metric.updateUnsafe(ms / 1000, noContext)
}
