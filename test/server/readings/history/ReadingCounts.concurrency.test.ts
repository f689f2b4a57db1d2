import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { Random } from "../../../support/Random.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDirect } from "../ingest/arrangeDirect.ts"
import { counting } from "../../devices/counting.ts"
import { untilLockWait } from "../../../support/races.ts"

const DAY = 86_400_000
const READINGS = 60_000
const first = Date.UTC(2025, 11, 15, 7, 30)
const whole = { from: first - 30 * DAY, to: first + 90 * DAY }
const iso = (at: number) => new Date(at).toISOString()

describePostgres("the number of a device's readings under concurrent writes", () => {
  const databases = useDatabases()
  let stranger: Client
  beforeAll(async () => {
    stranger = new Client({ connectionString: databases.url })
    await stranger.connect()
  })
  afterAll(async () => {
    await stranger.end()
  })
  const app = useTestApp({ databaseUrl: () => databases.url })
  const { seed, count, countRows, countedUntil, truth } = counting(app)

  const arrange = async () => {
    const place = await arrangeDirect(app)
    const { id } = await place.device()
    await seed(id, first, READINGS)
    const speak = (...times: ReadonlyArray<number>) =>
      place.push(id, { readings: times.map((at) => ({ timestamp: iso(at), state: { power: 1 } })) })
    return { ...place, id, speak }
  }

  test("is read from the daily counts: a handful of rows", async () => {
    const { id } = await arrange()
    expect(await count(id, whole)).toBe(READINGS)
    const { response, rows } = await countRows(id, whole)
    expect(response).toBe(READINGS)
    // The last day's readings, the months' rows with their days, the state.
    expect(rows).toBeLessThan(720 + 4 * 32 + 10)
  })

  test("is exact after concurrent counts and late readings", async () => {
    const { id, speak } = await arrange()
    const random = new Random(7)
    const late = () => first - 20 * DAY + random.below(100 * DAY)
    for (let round = 0; round < 6; round++) {
      const work = Array.from({ length: 12 }, (_, at) => (at % 3 === 0 ? count(id, whole) : speak(late(), late())))
      await Promise.all(work)
      expect(await count(id, whole)).toBe(await truth(id, whole))
    }
    expect(await countedUntil(id)).not.toBeNull()
  })

  test("includes every acknowledged reading, also one stored while its day was counted", async () => {
    const { id, speak } = await arrange()
    const late = first + 5 * DAY + 1
    // Holds up the reading between its row and the device's state.
    await stranger.query("BEGIN")
    await stranger.query("SELECT FROM device_states WHERE device_id = $1 FOR NO KEY UPDATE", [id])
    const spoken = speak(late)
    const waiting = (sessions: number) =>
      untilLockWait(databases.url, `${sessions} wait for the state`, { sessions, locks: ["transactionid", "tuple"] })
    await waiting(1)
    const counted = count(id, whole)
    await waiting(2)
    await stranger.query("COMMIT")
    await Promise.all([spoken, counted])
    expect(await count(id, whole)).toBe(READINGS + 1)
    expect(await truth(id, whole)).toBe(READINGS + 1)
  })
})
