import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { GridPollRunner } from "@edp/server/grid/GridPollRunner"
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { movableClock } from "../../support/movableClock.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeGrid, useFakeVtn } from "./arrangeGrid.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock, env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "true" } })
const vtnNow = useFakeVtn()

const arrange = async () => {
  const world = await arrangeGrid(app, clock, vtnNow())
  const read = (id: string) => world.must(200, "GET", `/v1/grid-connections/${id}`)
  const readClaim = async (id: string) => {
    const [row] = await app.sql<{ readonly claim: string | null }>(
      (sql) => sql`SELECT claim FROM grid_connections WHERE id = ${id}`
    )
    return row!.claim
  }
  return { ...world, read, readClaim }
}

/** A VTN that keeps its callers waiting, until it is told to end them. */
const silentVtn = async () => {
  let calls = 0
  const server = createServer(() => void (calls += 1))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const end = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(end)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, called: () => calls > 0, end }
}

test("a VTN that does not respond delays the polls of no other", async () => {
  const { readClaim, connect, read, step } = await arrange()
  const silent = await silentVtn()
  const slow = await connect({ name: "slow", vtnUrl: silent.url, clientId: null, clientSecret: null })
  await step()
  await eventually("the call", () => (silent.called() ? true : undefined))
  const other = await connect({ name: "other" })
  await step()
  await eventually("the other", async () => ((await read(other.id)).status === "connected" ? true : undefined))
  expect(await readClaim(slow.id)).not.toBeNull()
  silent.end()
  await eventually("the failure", async () => ((await read(slow.id)).status === "failing" ? true : undefined))
  expect(await readClaim(slow.id)).toBeNull()
})

test("changed settings end the poll that is under way, and the new VTN is asked at once", async () => {
  const { connect, must, read, step } = await arrange()
  const silent = await silentVtn()
  const { id } = await connect({ vtnUrl: silent.url })
  await step()
  await eventually("the call", () => (silent.called() ? true : undefined))
  await must(200, "PATCH", `/v1/grid-connections/${id}`, { vtnUrl: vtnNow().url, clientSecret: vtnNow().client.secret })
  await step()
  await app.run(Effect.flatMap(GridPollRunner, (runner) => runner.renew))
  await eventually("the new one", async () => ((await read(id)).status === "connected" ? true : undefined))
  silent.end()
  expect(await read(id)).toMatchObject({ status: "connected", lastError: null })
})

test("the connections of an instance that is gone are polled by another", async () => {
  const { connect, read, step } = await arrange()
  const { id } = await connect()
  const gone = randomUUID()
  await app.sql(
    (sql) => sql`UPDATE grid_connections SET claim = ${randomUUID()}::uuid, holder = ${gone}::uuid,
      poll_at = now() + interval '1 minute' WHERE id = ${id} RETURNING 1`
  )
  expect(await step()).toBe(0)
  await app.run(Effect.flatMap(GridPollRunner, (runner) => runner.endLeases(gone)))
  expect(await step()).toBe(1)
  await eventually("the poll", async () => ((await read(id)).status === "connected" ? true : undefined))
})
