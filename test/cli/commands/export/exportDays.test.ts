import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { firstIdAt } from "@edp/server/platform/Ids"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { arrangeDevices } from "../../../server/devices/arrangeDevices.ts"
import { startBucket } from "../../../support/peers/bucket.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { makeCli } from "../../realService.ts"

const app = useTestApp()
const folder = mkdtempSync(join(tmpdir(), "edp-export-days-"))
let bucket: Awaited<ReturnType<typeof startBucket>>
afterAll(async () => {
  await bucket?.stop()
  rmSync(folder, { recursive: true })
})

const DAY = 86_400_000
const today = Math.floor(Date.now() / DAY) * DAY
const dayAt = (days: number) => new Date(today - days * DAY).toISOString().slice(0, 10)

const count = async (file: string) => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect()
  const [row] = (await connection.runAndReadAll(`SELECT count(*)::int AS n FROM '${file}'`)).getRowObjectsJson()
  return row!["n"]
}

describe("edp export days", () => {
  let place: Awaited<ReturnType<typeof arrangeDevices>>
  const run = (...args: ReadonlyArray<string>) =>
    makeCli(app, place, {
      EDP_DATA_DIR: "/nonexistent",
      EDP_URL: app.url,
      EDP_KEY_SERVER: place.keys.SERVER,
      AWS_ACCESS_KEY_ID: bucket.accessKeyId,
      AWS_SECRET_ACCESS_KEY: bucket.secretAccessKey,
      AWS_ENDPOINT_URL_S3: bucket.url
    })("export", "days", ...args)

  beforeAll(async () => {
    bucket = await startBucket("energy")
    place = await arrangeDevices(app)
    const device = await place.device({ type: "meter" })
    // Readings of the four days before today, one more with each day.
    await place.read(
      device,
      ...[4, 3, 2, 1].flatMap((days) =>
        Array.from({ length: days }, (_, n) => ({
          at: new Date(today - days * DAY + n * 3_600_000),
          state: { power: n }
        }))
      )
    )
  })

  test("writes a file for each day that is over long enough, and a missing one again", async () => {
    const destination = join(folder, "home")
    const done = await run(destination, "--of", "readings", "--json")
    expect(done.code, done.stderr).toBe(0)
    const names = [4, 3, 2].map((days) => `${dayAt(days)}.parquet`)
    expect(readdirSync(join(destination, "readings")).toSorted()).toEqual(names)
    expect(done.json()).toMatchObject({ written: [{ rows: 4 }, { rows: 3 }, { rows: 2 }], until: dayAt(2) })
    expect(await count(join(destination, "readings", names[0]!))).toBe(4)

    rmSync(join(destination, "readings", names[1]!))
    const { mtimeMs } = statSync(join(destination, "readings", names[0]!))
    const again = await run(destination, "--of", "readings", "--after", "1", "--json")
    expect(again.json().written.map(({ file }: { file: string }) => file)).toEqual([
      join(destination, "readings", names[1]!),
      join(destination, "readings", `${dayAt(1)}.parquet`)
    ])
    expect(statSync(join(destination, "readings", names[0]!)).mtimeMs).toBe(mtimeMs)
  })

  test("writes the commands of each day alone", async () => {
    const device = await place.device({ type: "battery" })
    const issued = [3, 2, 2, 0].map((days, n) => today - days * DAY + n)
    const rows = issued.map((at) => ({ id: `${firstIdAt(at)}${"0".repeat(16)}`, at: new Date(at) }))
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO commands (id, workspace_id, device_id, type, input, source, status, issued_at, expires_at, due_at, deadline, executed_at)
        SELECT id, ${place.workspaceId}, ${device}, 'battery:set-reserve', '{"chargePercentage": 20}', 'user', 'completed', at, at, at, at, at
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (id text, at timestamptz)`
    )
    const done = await run(join(folder, "commands"), "--of", "commands", "--json")
    expect(done.code, done.stderr).toBe(0)
    const written = done.json().written.map(({ file, rows }: any) => [file.slice(-18), rows])
    expect(written).toEqual([
      [`${dayAt(3)}.parquet`, 1],
      [`${dayAt(2)}.parquet`, 2]
    ])
  })

  test("writes into a bucket of S3, which holds each day once", async () => {
    const destination = "s3://energy/exports/my home?/"
    const done = await run(destination, "--of", "readings", "--format", "csv", "--since", dayAt(3), "--json")
    expect(done.code, done.stderr).toBe(0)
    const keys = [3, 2].map((days) => `exports/my home?/readings/${dayAt(days)}.csv`)
    expect(await bucket.list()).toEqual(keys)
    expect((await bucket.read(keys[0]!)).trimEnd().split("\n")).toHaveLength(1 + 3)
    const again = await run(destination, "--of", "readings", "--format", "csv", "--since", dayAt(3), "--json")
    expect(again.json().written).toEqual([])
  })

  test("says which request a bucket refused, without the secret", async () => {
    const { code, stderr } = await run("s3://another/home", "--of", "readings")
    expect(code).toBe(1)
    expect(stderr).toContain("S3_FAILED")
    expect(stderr).toContain(`s3://another/home/readings/${dayAt(4)}.parquet`)
    expect(stderr).not.toContain(bucket.secretAccessKey)
  })

  test.each([
    [["s3://"], "s3://BUCKET/PREFIX"],
    [["x", "--since", "yesterday"], "--since must be a day"],
    [["x", "--since", "2026-02-31"], "--since must be a day"],
    [["x", "--after", "0"], "after"]
  ])("refuses the command line %j", async (args, message) => {
    const { code, stderr } = await run(...args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(existsSync("x")).toBe(false)
  })
})
