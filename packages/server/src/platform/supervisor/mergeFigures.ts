interface Family {
  readonly help: string
  readonly type: string
  readonly samples: Map<string, number>
}

const least = new Set(["process_start_time_seconds"])

/** All processes have the same value, or the worst one counts. */
const isGreatest = (name: string) =>
  [
    "edp_build_info",
    "edp_archive_unrolled_devices",
    "edp_readings_unrolled_devices",
    "edp_replica_lag_seconds"
  ].includes(name) || name.startsWith("nodejs_eventloop_lag_")

const combine = (name: string, one: number, other: number) =>
  least.has(name) ? Math.min(one, other) : isGreatest(name) ? Math.max(one, other) : one + other

const toNumber = (text: string) => (text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text))

const read = (texts: ReadonlyArray<string>) => {
  const families = new Map<string, Family>()
  for (const text of texts) {
    let help = ""
    let name = ""
    for (const line of text.split("\n")) {
      if (line.startsWith("# HELP ")) help = line
      else if (line.startsWith("# TYPE ")) {
        name = line.split(" ")[2]!
        if (!families.has(name)) families.set(name, { help, type: line, samples: new Map() })
      } else if (line !== "") {
        const { samples } = families.get(name)!
        // Values of labels may have spaces.
        const end = line.lastIndexOf(" ")
        const [series, value] = [line.slice(0, end), toNumber(line.slice(end + 1))]
        const known = samples.get(series)
        samples.set(series, known === undefined ? value : combine(name, known, value))
      }
    }
  }
  return families
}

const print = (families: Iterable<Family>) =>
  [...families]
    .flatMap(({ help, samples, type }) => [
      help,
      type,
      ...[...samples].map(([series, value]) => `${series} ${value === Infinity ? "+Inf" : value}`)
    ])
    .map((line) => `${line}\n`)
    .join("")

/** The figures of several processes as those of one, in the text format of Prometheus. */
export const mergeFigures = (texts: ReadonlyArray<string>): string => print(read(texts).values())

/** The totals among figures, which a process leaves behind: without them those of all processes would fall when it ends. */
export const keepTotals = (text: string): string =>
  print([...read([text]).values()].filter(({ type }) => !type.endsWith(" gauge")))
