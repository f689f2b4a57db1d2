import { Client } from "pg"
import { callAt } from "../../support/callAt.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad } from "../load/Load.ts"
import { inTurns } from "../rounds.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { seedSearch, serialSql, words } from "../setting/seedSearch.ts"
import { median } from "../statistics.ts"

const DEVICES = 1_000_000
const OF_OTHERS = 100_000
const ROUNDS = 3
const REQUESTS = 20
const NEW_DEVICES = 500

/** Queries by what they search for. */
const searches = (serial: string): ReadonlyArray<readonly [name: string, ...queries: ReadonlyArray<string>]> => [
  ["a serial number", serial],
  ["a part of a serial number", serial.slice(3, 9)],
  ["a word of one device", words.device.toLowerCase(), words.device.slice(2, 9)],
  ["a word of one street", words.site.toLowerCase()],
  ["a street of a hundred and its number", `15 ${words.street}`, `${words.street} street`],
  ["a word of a third of the devices", "battery", "inverter"],
  ["two such words", "garage battery", "battery roof"],
  ["two letters", "al", "ba", "15"],
  ["a word of the oldest fifth", words.old.toLowerCase(), words.old.slice(0, 4)],
  ["this word and a number", `${words.old} 1999`, `${words.old} battery 77`],
  ["a customer's name", "kofi johnson", "elena.12345@"],
  ["a misspelt word of one device", "observatroy", "obsevatory"],
  ["a misspelt word of many", "batery", "garge inverter"],
  ["a misspelt word of the oldest", "antiqe", "antikue"],
  ["what nothing is similar to", "zzyzx", "qqqqq wwwww"]
]

/** Bytes of a table's rows and of its index of texts. */
const sizeSql = `SELECT pg_table_size($1::regclass)::float8 AS rows, pg_relation_size(($1 || '_by_text')::regclass)::float8 AS texts`

/** Seconds that new devices take, one by one; nothing of them is left. */
const insertDevices = async (client: Client, workspaceId: string, withIndex: boolean) => {
  await client.query("BEGIN")
  try {
    if (!withIndex) await client.query("DROP INDEX devices_by_text")
    const began = performance.now()
    for (let n = 0; n < NEW_DEVICES; n++) {
      await client.query(
        `INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer, manufacturer_device_id, serial_number,
            reference_id, model, type, commands, tags, direct, created_at, updated_at)
          VALUES ($1, $2, $2, $3, 'generic', $1, $1, $4, 'Model', 'battery', '{}', '{}', true, now(), now())`,
        [`c9${String(n).padStart(23, "0")}`, workspaceId, `Garage battery ${n}`, `user-${n}`]
      )
    }
    return (performance.now() - began) / 1000
  } finally {
    await client.query("ROLLBACK")
  }
}

export const measureSearch = async (
  { platform }: Pick<PostgresSetting, "platform">,
  client: Client,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const { serverKey: key, workspaceId } = platform.credentials
  const figures: Array<Figure> = []
  const load = startLoad()
  try {
    const { rows } = await client.query<{ serial: string }>(serialSql(DEVICES / 2))
    for (const [name, ...queries] of searches(rows[0]!.serial)) {
      const paths = queries.map((query) => `/v1/search?query=${encodeURIComponent(query)}`)
      const { body } = await callAt(`http://127.0.0.1:${platform.port}`, "GET", paths[0]!, { key })
      const requests = Math.ceil(REQUESTS * patience)
      const traffic = { kind: "get", paths } as const
      const ask = () => load.ask({ port: platform.port, key, traffic, connections: 1, seconds: 60, requests })
      const { ours } = await inTurns({ ours: ask }, ROUNDS)
      const [p50, longest] = [median(ours.map((each) => each.p50)), Math.max(...ours.map((each) => each.longest))]
      note(`${name}: ${p50.toFixed(0)} ms`)
      figures.push({
        name: `time of a search for ${name}`,
        measured: p50,
        unit: "ms",
        target: { atMost: 100 },
        behind: `at most ${longest.toFixed(0)} ms; ${body.data.length} results${body.similar ? ", similar ones" : ""}`
      })
    }
  } finally {
    await load.stop()
  }
  for (const table of ["devices", "sites", "customers", "accounts"]) {
    const { rows } = await client.query<{ rows: number; texts: number }>(sizeSql, [table])
    figures.push({
      name: `size of the index of texts of ${table}`,
      measured: rows[0]!.texts / 1e6,
      unit: "MB",
      behind: `beside ${(rows[0]!.rows / 1e6).toFixed(0)} MB of rows`
    })
  }
  note("new devices")
  const { indexed, bare } = await inTurns(
    {
      indexed: () => insertDevices(client, workspaceId, true),
      bare: () => insertDevices(client, workspaceId, false)
    },
    ROUNDS
  )
  const [withIndex, without] = [median(indexed), median(bare)].map((seconds) => (seconds / NEW_DEVICES) * 1000)
  figures.push({
    name: "a new row of devices, with the index of texts against without",
    measured: withIndex! / without!,
    unit: "×",
    behind: `${withIndex!.toFixed(2)} against ${without!.toFixed(2)} ms`
  })
  return figures
}

/** GET /v1/search in a workspace of a million devices, beside other workspaces. */
export const search: Benchmark = {
  name: "search",
  run: (setting) =>
    onPostgres(setting, { devices: 0 }, async (on) => {
      const client = new Client({ connectionString: on.postgres.adminUrl.replace(/[^/]*$/, "edp") })
      await client.connect()
      try {
        setting.note("makes a million devices")
        await seedSearch(client, {
          workspaceId: on.platform.credentials.workspaceId,
          devices: DEVICES,
          ofOthers: OF_OTHERS
        })
        return await measureSearch(on, client, setting)
      } finally {
        await client.end()
      }
    })
}
