import { monitorEventLoopDelay } from "node:perf_hooks"

/** A value of a family, identified by its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** The values of one metric. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge"
  readonly samples: ReadonlyArray<Sample>
}

const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const labelText = (labels: Readonly<Record<string, string>> = {}) => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

/** Families in the text format of Prometheus; a family without values is left out. */
export const prometheusText = (families: ReadonlyArray<Family>): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(({ help, name, samples, type }) =>
      [
        `# HELP ${name} ${escaped(help)}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`),
        ""
      ].join("\n")
    )
    .join("")

export const gauge = (name: string, help: string, ...samples: ReadonlyArray<Sample>): Family => ({
  name,
  help,
  type: "gauge",
  samples
})

export const counter = (name: string, help: string, ...samples: ReadonlyArray<Sample>): Family => ({
  name,
  help,
  type: "counter",
  samples
})

const RESOLUTION_MS = 20
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

/** Starts to measure the lag of the event loop. */
export const watchEventLoop = () => void delay.enable()

const MICROSECONDS = 1e6
const NANOSECONDS = 1e9

/** The lag without the resolution of the measuring timer, which has no value before it first runs. */
const lagSeconds = (nanoseconds: number) =>
  Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000) : 0

const lagFamilies = () => [
  ...[50, 90, 99].map((percentile) =>
    gauge(
      `nodejs_eventloop_lag_p${percentile}_seconds`,
      `Lag of the event loop since the last scrape, ${percentile}th percentile`,
      { value: lagSeconds(delay.percentile(percentile)) }
    )
  ),
  gauge("nodejs_eventloop_lag_max_seconds", "Greatest lag of the event loop since the last scrape", {
    value: lagSeconds(delay.max)
  })
]

/** Resources of the process, under the names that other Node.js programs use. Lags are those since the last call. */
export const processFamilies = (now: number): ReadonlyArray<Family> => {
  const { system, user } = process.cpuUsage()
  const { external, heapTotal, heapUsed, rss } = process.memoryUsage()
  const lag = lagFamilies()
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
    ...lag
  ]
}
