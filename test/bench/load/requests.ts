/** What a load consists of. Every request differs from the one before as those of a real fleet do. */
export type Traffic =
  | { readonly kind: "single"; readonly deviceIds: ReadonlyArray<string> }
  /** Pushes of so many readings, the first taken at `from`, milliseconds since 1970. */
  | {
      readonly kind: "bulk"
      readonly deviceIds: ReadonlyArray<string>
      readonly readings: number
      readonly from: number
    }
  | { readonly kind: "get"; readonly paths: ReadonlyArray<string> }

const post = (path: string, key: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nservice-api-key: ${key}\r\ncontent-type: application/json\r\n` +
  `content-length: ${body.length}\r\n\r\n${body}`

const get = (path: string, key: string) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nservice-api-key: ${key}\r\n\r\n`

const state = (turn: number) => `{"power":${3000 + (turn % 1000)},"lifetimeEnergyGenerated":${1_200_000 + turn}}`

/** Round the fleet, each reading taken now: a device comes round again later than in the same millisecond. */
const single = (ids: ReadonlyArray<string>, key: string) => (turn: number) =>
  post(
    `/devices/${ids[turn % ids.length]}/telemetry`,
    key,
    `{"timestamp":"${new Date().toISOString()}","state":${state(turn)}}`
  )

/** Whole rounds of the fleet, a second apart, each request continuing where the one before it ended. */
const bulk = (ids: ReadonlyArray<string>, readings: number, from: number, key: string) => {
  const rounds = Math.ceil(readings / ids.length)
  const starts = ids.map((id) => `{"deviceId":"${id}","timestamp":"`)
  return (turn: number) => {
    const items: Array<string> = []
    for (let round = turn * rounds; round < (turn + 1) * rounds; round++) {
      const rest = `${new Date(from + round * 1000).toISOString()}","state":${state(round)}}`
      for (const start of starts) items.push(start + rest)
    }
    return post("/devices/telemetry", key, `{"readings":[${items.join(",")}]}`)
  }
}

/** The requests of a traffic by their number. */
export const requestsOf = (traffic: Traffic, key: string): ((turn: number) => string) => {
  if (traffic.kind === "single") return single(traffic.deviceIds, key)
  if (traffic.kind === "bulk") return bulk(traffic.deviceIds, traffic.readings, traffic.from, key)
  const texts = traffic.paths.map((path) => get(path, key))
  return (turn) => texts[turn % texts.length]!
}
