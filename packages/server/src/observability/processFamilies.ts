import { monitorEventLoopDelay } from "node:perf_hooks"
import { counter, type Family, gauge } from "./prometheus.ts"

const delay = monitorEventLoopDelay({ resolution: 20 })

/** Begins to measure how late the event loop is. */
export const watchEventLoop = () => void delay.enable()

const MICROSECONDS = 1e6
const NANOSECONDS = 1e9

/** Before anything was measured it is not a number. */
const delaySeconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / NANOSECONDS : 0)

/** What the process takes, under the names that other programs on Node.js use too. The delays are those since the last call. */
export const processFamilies = (now: number): ReadonlyArray<Family> => {
  const { system, user } = process.cpuUsage()
  const { external, heapTotal, heapUsed, rss } = process.memoryUsage()
  const lag = gauge(
    "nodejs_eventloop_lag_seconds",
    "How late the event loop was since the last scrape, by quantile",
    ...[0.5, 0.9, 0.99].map((quantile) => ({
      labels: { quantile: `${quantile}` },
      value: delaySeconds(delay.percentile(quantile * 100))
    })),
    { labels: { quantile: "1" }, value: delaySeconds(delay.max) }
  )
  delay.reset()
  return [
    counter("process_cpu_user_seconds_total", "Processor time spent in the program", { value: user / MICROSECONDS }),
    counter("process_cpu_system_seconds_total", "Processor time spent in the system", { value: system / MICROSECONDS }),
    gauge("process_start_time_seconds", "When the process started, in seconds since 1970", {
      value: Math.round(now / 1000 - process.uptime())
    }),
    gauge("process_resident_memory_bytes", "Resident memory of the process", { value: rss }),
    gauge("nodejs_heap_size_total_bytes", "Size of the heap", { value: heapTotal }),
    gauge("nodejs_heap_size_used_bytes", "Used part of the heap", { value: heapUsed }),
    gauge("nodejs_external_memory_bytes", "Memory outside of the heap that its objects hold", { value: external }),
    lag
  ]
}
