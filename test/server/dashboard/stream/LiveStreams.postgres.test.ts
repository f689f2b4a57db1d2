import { expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { TestApp, useTestApp } from "../../../support/TestApp.ts"
import { openStream } from "../openStream.ts"

describePostgres("the dashboard's stream with several instances", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })

  test("ends when its instance stops, which does not wait for it, and another instance resumes it", async () => {
    const { keys } = await app.workspace()
    const customer = async () => (await app.call("POST", "/v1/customers", { key: keys.SERVER, body: {} })).body.id
    const other = new TestApp()
    await other.start({ databaseUrl: () => databases.url })
    const first = await openStream(other.url, keys.MANAGEMENT)
    await first.find("the snapshot", ({ event }) => event === "snapshot")
    const before = await customer()
    const last = await first.find("an event", ({ data }) => data.customerId === before)
    const began = performance.now()
    await other.stop()
    await first.done
    // The server would wait 10 seconds for its connections.
    expect(performance.now() - began).toBeLessThan(8000)
    const meanwhile = await customer()
    const second = await openStream(app.url, keys.MANAGEMENT, { lastEventId: last.id })
    const later = await customer()
    await second.find("the last event", ({ data }) => data.customerId === later)
    expect(second.changes("event").map(({ data }) => data.customerId)).toEqual([meanwhile, later])
    expect(second.received.some(({ event }) => event === "snapshot")).toBe(false)
    await second.close()
  })
})
