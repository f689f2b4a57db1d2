import { monitorEventLoopDelay } from "node:perf_hooks"

/** A value of a family, told apart from its others by labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** What is measured under one name. */
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

/** Families in the text format of Prometheus; one without a value is left out. */
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

const counter = (name: string, help: string, ...samples: ReadonlyArray<Sample>): Family => ({
  name,
  help,
  type: "counter",
  samples
})

const RESOLUTION_MS = 20
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

/** Begins to measure how late the event loop is. */
export const watchEventLoop = () => void delay.enable()

const MICROSECONDS = 1e6
const NANOSECONDS = 1e9

/** The timer that measures is due every so often, which is no lag; before it was due once, there is no number. */
const lagSeconds = (nanoseconds: number) =>
  Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000) : 0

const lagFamilies = () => [
  ...[50, 90, 99].map((percentile) =>
    gauge(
      `nodejs_eventloop_lag_p${percentile}_seconds`,
      `How late the event loop was since the last scrape, ${percentile}th percentile`,
      { value: lagSeconds(delay.percentile(percentile)) }
    )
  ),
  gauge("nodejs_eventloop_lag_max_seconds", "How late the event loop was at most since the last scrape", {
    value: lagSeconds(delay.max)
  })
]

/** What the process takes, under the names that other programs on Node.js use too. The delays are those since the last call. */
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
