import { Context, Metric } from "effect"

const duration = Metric.histogram("edp_http_request_duration_milliseconds", {
  description: "Time from a request's head to its answer, by route and status",
  boundaries: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]
})

const noContext = Context.empty()
const byLabels = new Map<string, ReturnType<typeof withLabels>>()

const withLabels = (method: string, route: string, status: number) =>
  Metric.withAttributes(duration, { method, route, status: String(status) })

/** Records a request under its route, never under its path: ids would make a series each. */
export const observeRequest = (method: string, route = "other", status: number, ms: number) => {
  const labels = `${method} ${route} ${status}`
  let metric = byLabels.get(labels)
  if (metric === undefined) {
    metric = withLabels(method, route, status)
    byLabels.set(labels, metric)
  }
  metric.updateUnsafe(ms, noContext)
}
