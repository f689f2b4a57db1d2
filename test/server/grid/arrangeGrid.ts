import { GridPollRunner } from "@edp/server/grid/GridPollRunner"
import { Effect } from "effect"
import { afterAll, afterEach, beforeEach, beforeAll } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { FakeVtn } from "../../support/peers/FakeVtn.ts"
import type { TestApp } from "../../support/TestApp.ts"
import { checkWithPrism } from "../vtn/prismCheck.ts"
import { arrangeDispatches, type TestClock } from "../dispatches/arrangeDispatches.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND

/** A VTN for the tests of a file, empty before each. What the VEN asks of it fits the official document. */
export const useFakeVtn = () => {
  let vtn: FakeVtn
  beforeAll(async () => {
    vtn = await new FakeVtn().open()
  })
  beforeEach(() => {
    const lists = [vtn.exchanges, vtn.requests, vtn.programs, vtn.events, vtn.vens, vtn.reports, vtn.subscriptions]
    for (const list of lists) list.length = 0
    vtn.respond = () => undefined
    vtn.notifiers = undefined
    vtn.topics = {}
  })
  afterEach(async () => {
    for (const { path, request, status } of vtn.exchanges) {
      if (status >= 300 || path.startsWith("/auth/")) continue
      const headers: Record<string, string> =
        request.authorization === undefined ? {} : { authorization: request.authorization }
      const sent = request.body === "" ? undefined : request.body
      await checkWithPrism({ method: request.method, path, headers, request: sent, status })
    }
  })
  afterAll(() => vtn.close())
  return () => vtn
}

/** Begins the polls that are due. Returns their number. */
export const startPolls = (app: TestApp) => app.run(Effect.flatMap(GridPollRunner, ({ step }) => step))

/** Polls the VTNs that are due, and waits until all polls have ended. */
export const pollDue = async (app: TestApp) => {
  await startPolls(app)
  await eventually("the end of the polls", async () => {
    const polled = await app.sql((sql) => sql`SELECT FROM grid_connections WHERE claim IS NOT NULL`)
    return polled.length === 0 ? true : undefined
  })
}

/** A workspace with a program instance that follows a VTN. */
export const arrangeGrid = async (app: TestApp, clock: TestClock, vtn: FakeVtn) => {
  const world = await arrangeDispatches(app, clock)
  // The VTN is the file's: workspaces of earlier tests follow it no more.
  await app.sql((sql) => sql`UPDATE grid_connections SET enabled = false, poll_at = NULL RETURNING 1`)
  const { call, instance, must, now } = world

  const connect = (more: object = {}) =>
    must(201, "POST", "/v1/grid-connections", {
      name: "Example Utility",
      vtnUrl: vtn.url,
      clientId: vtn.client.id,
      clientSecret: vtn.client.secret,
      venName: "example-ven",
      ...more
    })

  /** Polls whatever VTN is due, after some time. Connections are due at once, as the database's clock does not stand. */
  const poll = async (seconds = 0) => {
    clock.move(seconds * SECOND)
    await app.sql((sql) => sql`UPDATE grid_connections SET poll_at = now() WHERE enabled RETURNING 1`)
    await pollDue(app)
  }

  const list = async (id: string, what: "programs" | "events" | "reports", query = ""): Promise<ReadonlyArray<any>> =>
    (await must(200, "GET", `/v1/grid-connections/${id}/${what}?perPage=100${query}`)).data

  const at = (minutes: number) => new Date(now() + minutes * MINUTE).toISOString()

  /** A program of the VTN that the instance follows by rules. */
  const followed = async (rules: ReadonlyArray<object>, connectionId: string) => {
    const program = vtn.program()
    await poll()
    const known = (await list(connectionId, "programs")).find(({ vtnProgramId }) => vtnProgramId === program.id)
    await must(200, "PATCH", `/v1/grid-programs/${known.id}`, { programInstanceId: instance.id, rules })
    return { ...known, vtnProgramId: program.id as string }
  }

  /** An event of one payload type with intervals of equal length. */
  const event = (
    programID: string,
    type: string,
    values: ReadonlyArray<unknown>,
    minutes: number,
    length = "PT1H",
    more: object = {}
  ) =>
    vtn.event(programID, {
      intervalPeriod: { start: at(minutes), duration: length },
      intervals: values.map((value, id) => ({ id, payloads: [{ type, values: [value] }] })),
      ...more
    })

  const dispatches = async (): Promise<ReadonlyArray<any>> =>
    (await must(200, "GET", `/v1/programInstances/${instance.id}/dispatches?perPage=100`)).data

  return { ...world, call, connect, step: () => startPolls(app), poll, list, at, followed, event, dispatches }
}
