import { keepTotals, mergeFigures } from "@edp/server/platform/supervisor/mergeFigures"
import { expect, test } from "vitest"

const counters = (...values: ReadonlyArray<string>) =>
  ["# HELP edp_readings_total Received readings", "# TYPE edp_readings_total counter", ...values, ""].join("\n")

const gauge = (name: string, value: number) => `# HELP ${name} ${name}\n# TYPE ${name} gauge\n${name} ${value}\n`

const histogram = (low: number, all: number, sum: number) =>
  [
    "# HELP edp_late_seconds Lateness",
    "# TYPE edp_late_seconds histogram",
    `edp_late_seconds_bucket{le="1"} ${low}`,
    `edp_late_seconds_bucket{le="+Inf"} ${all}`,
    `edp_late_seconds_sum ${sum}`,
    `edp_late_seconds_count ${all}`,
    ""
  ].join("\n")

test("counters and histograms of several processes are added up, series by series", () => {
  const one = `${counters('edp_readings_total{outcome="stored"} 2', 'edp_readings_total{outcome="gone"} 1')}${histogram(1, 2, 3.5)}`
  const other = `${histogram(2, 5, 0.5)}${counters('edp_readings_total{outcome="stored"} 40')}`
  expect(mergeFigures([one, "", other])).toBe(
    `${counters('edp_readings_total{outcome="stored"} 42', 'edp_readings_total{outcome="gone"} 1')}${histogram(3, 7, 4)}`
  )
})

test("a value of a label may have spaces and braces", () => {
  const series = 'edp_readings_total{route="/v1/{id} all"}'
  expect(mergeFigures([counters(`${series} 1`), counters(`${series} 2`)])).toBe(counters(`${series} 3`))
})

test.each([
  ["process_resident_memory_bytes", 30],
  ["edp_http_requests_in_flight", 30],
  ["process_start_time_seconds", 10],
  ["nodejs_eventloop_lag_p99_seconds", 20],
  ["edp_build_info", 20]
])("%s of two processes is that of the service", (name, value) => {
  expect(mergeFigures([gauge(name, 10), gauge(name, 20)])).toBe(gauge(name, value))
})

test("a process that ends leaves its totals behind, and no gauges", () => {
  const totals = `${counters("edp_readings_total 5")}${histogram(1, 2, 3)}`
  expect(keepTotals(`${gauge("process_resident_memory_bytes", 7)}${totals}`)).toBe(totals)
  expect(keepTotals("")).toBe("")
})
