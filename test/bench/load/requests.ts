/** The requests of a load. Every request differs from the previous one, as those of a real fleet do. */
export type Traffic =
  | {
      readonly kind: "single"
      readonly deviceIds: ReadonlyArray<string>
      /** Readings of a device taken from then on, milliseconds since 1970, and so far apart, instead of now. */
      readonly taken?: { readonly from: number; readonly step: number }
    }
  /** Pushes of this number of readings, the first taken at `from`, milliseconds since 1970, those of a device `step` apart. */
  | {
      readonly kind: "bulk"
      readonly deviceIds: ReadonlyArray<string>
      readonly readings: number
      readonly from: number
      /** A second by default. */
      readonly step?: number
    }
  | { readonly kind: "get"; readonly paths: ReadonlyArray<string> }
  | { readonly kind: "post"; readonly path: string; readonly body: string }

const post = (path: string, key: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nservice-api-key: ${key}\r\ncontent-type: application/json\r\n` +
  `content-length: ${body.length}\r\n\r\n${body}`

const get = (path: string, key: string) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nservice-api-key: ${key}\r\n\r\n`

const state = (turn: number) => `{"power":${3000 + (turn % 1000)},"lifetimeEnergyGenerated":${1_200_000 + turn}}`

type Single = Extract<Traffic, { readonly kind: "single" }>
type Bulk = Extract<Traffic, { readonly kind: "bulk" }>

/** Round the fleet, each reading taken now: a device comes round again later than in the same millisecond. */
const single = ({ deviceIds: ids, taken }: Single, key: string) => {
  const at = (turn: number) =>
    taken === undefined ? new Date() : new Date(taken.from + Math.floor(turn / ids.length) * taken.step)
  return (turn: number) =>
    post(
      `/devices/${ids[turn % ids.length]}/telemetry`,
      key,
      `{"timestamp":"${at(turn).toISOString()}","state":${state(turn)}}`
    )
}

/** Whole rounds of the fleet, each request continuing where the one before it ended. */
const bulk = ({ deviceIds: ids, readings, from, step = 1000 }: Bulk, key: string) => {
  const rounds = Math.ceil(readings / ids.length)
  const starts = ids.map((id) => `{"deviceId":"${id}","timestamp":"`)
  return (turn: number) => {
    const items: Array<string> = []
    for (let round = turn * rounds; round < (turn + 1) * rounds; round++) {
      const rest = `${new Date(from + round * step).toISOString()}","state":${state(round)}}`
      for (const start of starts) items.push(start + rest)
    }
    return post("/devices/telemetry", key, `{"readings":[${items.join(",")}]}`)
  }
}

/** The requests of a traffic by their number. */
export const makeRequests = (traffic: Traffic, key: string): ((turn: number) => string) => {
  if (traffic.kind === "single") return single(traffic, key)
  if (traffic.kind === "bulk") return bulk(traffic, key)
  if (traffic.kind === "post") {
    const text = post(traffic.path, key, traffic.body)
    return () => text
  }
  const texts = traffic.paths.map((path) => get(path, key))
  return (turn) => texts[turn % texts.length]!
}
