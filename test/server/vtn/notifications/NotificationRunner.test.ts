import { randomUUID } from "node:crypto"
import { notificationLimits } from "@edp/server/vtn/notifications/notificationLimits"
import { NotificationRunner } from "@edp/server/vtn/notifications/NotificationRunner"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { type HttpsCallback, startHttpsCallback } from "../../../support/peers/HttpsCallback.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { checkNotification } from "../openAdrDocument.ts"
import { makeVtn, names, type VtnClient } from "../VtnWorld.ts"

const app = useTestApp({ own: true })
const guarded = useTestApp({ env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "false" } })

let callback: HttpsCallback
beforeAll(async () => {
  callback = await startHttpsCallback()
})
afterAll(() => callback.stop())

let paths = 0
/** An address of the subscriber for one test, and what it was told there. */
const address = () => {
  const path = `/callback-${++paths}`
  const calls = () => callback.received.filter((call) => call.path.split("?")[0] === path)
  const posts = () => calls().filter(({ method }) => method === "POST")
  return { url: `${callback.url}${path}`, calls, posts }
}

const step = () => app.run(Effect.flatMap(NotificationRunner, (runner) => runner.step))
const countLeases = async () => {
  const [row] = await app.sql<{ readonly n: number }>(
    (sql) => sql`SELECT count(*)::int AS n FROM vtn_callbacks WHERE claim IS NOT NULL`
  )
  return row!.n
}
/** Sends what is due, and waits for the responses. */
const sendDue = async () => {
  while ((await step()) > 0) {
    await eventually("the end of all calls", async () => ((await countLeases()) === 0 ? true : undefined))
  }
}

const entry = (callbackUrl: string, fields: object = {}) => ({
  objects: ["PROGRAM", "EVENT"],
  operations: ["CREATE", "UPDATE", "DELETE"],
  callbackUrl,
  ...fields
})

const subscribe = (client: VtnClient, callbackUrl: string, fields: object = {}, entryFields: object = {}) =>
  client.ok("POST", "/subscriptions", {
    clientName: "subscriber",
    objectOperations: [entry(callbackUrl, entryFields)],
    ...fields
  })

/** The operations and names that an address was told, each checked against the official document. */
const summary = (posts: ReadonlyArray<{ readonly body: any }>) =>
  posts.map(({ body }) => {
    checkNotification(body)
    const { object, operation } = body
    const { clientName, eventName, programName, reportName, resourceName, venName } = object
    return `${operation} ${programName ?? eventName ?? venName ?? resourceName ?? reportName ?? clientName}`
  })

describe("a subscription", () => {
  test("is created after its callback has echoed a value, read, replaced and deleted", async () => {
    const { enrolled } = await makeVtn(app)
    const ven = await enrolled()
    const { calls, url } = address()
    const { body: made, status } = await ven.call("POST", "/subscriptions", {
      clientName: "subscriber",
      objectOperations: [entry(url, { bearerToken: "secret-1" })]
    })
    expect(status).toBe(201)
    expect(made).toMatchObject({ objectType: "SUBSCRIPTION", clientID: ven.clientId, clientName: "subscriber" })
    const [check] = calls()
    expect(check).toMatchObject({ method: "GET", headers: { authorization: "Bearer secret-1" } })
    expect(new URL(check!.path, callback.url).searchParams.get("echo")!.length).toBeGreaterThanOrEqual(32)
    expect(await ven.ok("GET", `/subscriptions/${made.id}`)).toEqual(made)

    const replaced = await ven.ok("PUT", `/subscriptions/${made.id}`, {
      clientName: "renamed",
      objectOperations: [entry(url, { operations: ["CREATE"] })]
    })
    expect(calls()).toHaveLength(2)
    expect(replaced).toMatchObject({ clientName: "renamed", objectOperations: [{ operations: ["CREATE"] }] })
    expect(await ven.ok("DELETE", `/subscriptions/${made.id}`)).toEqual(replaced)
    expect((await ven.call("GET", `/subscriptions/${made.id}`)).status).toBe(404)
  })

  test("does not show its token, stores it encrypted, and keeps it when it is replaced without one", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    const made = await subscribe(bl, url, {}, { bearerToken: "secret-2" })
    expect(JSON.stringify(made)).not.toContain("secret-2")
    const stored = await app.sql<{ text: string }>(
      (sql) => sql`SELECT encode(sealed_token, 'escape') AS text FROM vtn_callbacks WHERE subscription_id = ${made.id}`
    )
    expect(stored).toHaveLength(1)
    expect(stored[0]!.text).not.toContain("secret-2")
    const { body } = await bl.call("GET", "/subscriptions")
    expect(JSON.stringify(body)).not.toContain("secret-2")

    await bl.ok("PUT", `/subscriptions/${made.id}`, { clientName: "subscriber", objectOperations: [entry(url)] })
    await makeProgram()
    await sendDue()
    expect(posts()[0]!.headers.authorization).toBe("Bearer secret-2")

    await bl.ok("PUT", `/subscriptions/${made.id}`, {
      clientName: "subscriber",
      objectOperations: [entry(url, { bearerToken: null })]
    })
    await makeProgram()
    await sendDue()
    expect(posts()[1]!.headers).not.toHaveProperty("authorization")
  })

  test.each([
    ["that is not https", () => "http://localhost:1/callback", "Must be an https address"],
    ["that does not respond", () => "https://localhost:1/callback", "?echo"],
    ["that returns another value", () => callback.url, "Must return the value"],
    ["that answers the check by 404", () => callback.url, "by 404"],
    ["that redirects", () => callback.url, "by 302"]
  ])("is refused with a callback %s", async (title, url, sentence) => {
    const { bl } = await makeVtn(app)
    const { echo } = callback
    callback.echo = title.includes("another")
      ? () => ({ status: 200, body: "something else" })
      : title.includes("404")
        ? (value) => ({ status: 404, body: value })
        : (value) => ({ status: 302, body: `${callback.url}/elsewhere?echo=${value}` })
    const before = callback.received.length
    const { body, status } = await bl.call("POST", "/subscriptions", {
      clientName: "subscriber",
      objectOperations: [entry(url())]
    })
    callback.echo = echo
    expect(status).toBe(400)
    expect(body.detail).toContain("objectOperations.0.callbackUrl: ")
    expect(body.detail).toContain(sentence)
    expect(callback.received.length - before).toBeLessThanOrEqual(1)
    expect(await bl.ok("GET", "/subscriptions")).toEqual([])
  })

  test("is refused with a callback in a private network", async () => {
    const { bl } = await makeVtn(guarded)
    const before = callback.received.length
    for (const url of [callback.url, "https://127.0.0.1/cb", "https://10.0.0.8/cb", "https://[::1]/cb"]) {
      const { body, status } = await bl.call("POST", "/subscriptions", {
        clientName: "subscriber",
        objectOperations: [entry(url)]
      })
      expect(status).toBe(400)
      expect(body.detail).toContain("objectOperations.0.callbackUrl: Must ")
    }
    expect(callback.received).toHaveLength(before)
  })

  test.each([
    ["clientName", { clientName: "" }],
    ["objectOperations", { objectOperations: undefined }],
    ["objectOperations.0.callbackUrl", { objectOperations: [{ objects: ["EVENT"], operations: ["CREATE"] }] }],
    ["objectOperations.0.objects.0", { objectOperations: [entry("https://localhost/", { objects: ["THING"] })] }],
    ["objectOperations.0.operations.0", { objectOperations: [entry("https://localhost/", { operations: ["POST"] })] }]
  ])("is refused with a wrong %s", async (field, fields) => {
    const { bl } = await makeVtn(app)
    const { body, status } = await bl.call("POST", "/subscriptions", {
      clientName: "subscriber",
      objectOperations: [],
      ...fields
    })
    expect(status).toBe(400)
    expect(body.detail).toContain(`${field}: `)
  })

  test("is seen, changed and deleted by its own VEN and by business logic alone", async () => {
    const { bl, enrolled } = await makeVtn(app)
    const [ven, other] = [await enrolled(), await enrolled()]
    const made = await subscribe(ven, address().url)
    expect(await other.ok("GET", "/subscriptions")).toEqual([])
    expect((await other.call("GET", `/subscriptions/${made.id}`)).status).toBe(404)
    expect((await other.call("DELETE", `/subscriptions/${made.id}`)).status).toBe(404)
    const content = { clientName: "mine", objectOperations: [] }
    expect((await other.call("PUT", `/subscriptions/${made.id}`, content)).status).toBe(404)
    expect(await bl.ok("GET", "/subscriptions")).toEqual([made])
    await bl.ok("DELETE", `/subscriptions/${made.id}`)
  })

  test("is listed by program, client name and objects", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { url } = address()
    const program = await makeProgram()
    const a = await subscribe(bl, url, { programID: program.id })
    const b = await subscribe(bl, url, { clientName: "b" }, { objects: ["VEN", "EVENT"] })
    const listed = async (query: string) => names(await bl.ok("GET", `/subscriptions?${query}`), "id")
    expect(await listed("")).toEqual([a.id, b.id])
    expect(await listed(`programID=${program.id}`)).toEqual([a.id])
    expect(await listed("clientName=b")).toEqual([b.id])
    expect(await listed("objects=EVENT")).toEqual([a.id, b.id])
    expect(await listed("objects=EVENT&objects=VEN")).toEqual([b.id])
    expect((await bl.call("GET", "/subscriptions?objects=THING")).status).toBe(400)
    expect(
      (await bl.call("POST", "/subscriptions", { clientName: "c", programID: "missing", objectOperations: [] })).status
    ).toBe(409)
  })
})

describe("notifications", () => {
  test("tell a change with the object as it is after it, in their order", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    await subscribe(bl, url)
    const program = await makeProgram({ programName: "one", targets: ["t"] })
    const updated = await bl.ok("PUT", `/programs/${program.id}`, { programName: "two", targets: ["t"] })
    await bl.ok("DELETE", `/programs/${program.id}`)
    await sendDue()
    expect(summary(posts())).toEqual(["CREATE one", "UPDATE two", "DELETE two"])
    expect(posts()[1]!.body).toEqual({ objectType: "PROGRAM", operation: "UPDATE", object: updated, targets: ["t"] })
    await sendDue()
    expect(posts()).toHaveLength(3)
  })

  test("tell the objects and operations alone that are subscribed to", async () => {
    const { bl, makeEvent, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    await subscribe(bl, url, {}, { objects: ["EVENT"], operations: ["CREATE"] })
    const program = await makeProgram()
    const event = await makeEvent({ programID: program.id, eventName: "e" })
    await bl.ok("PUT", `/events/${event.id}`, { programID: program.id, eventName: "changed" })
    await bl.ok("DELETE", `/events/${event.id}`)
    await sendDue()
    expect(summary(posts())).toEqual(["CREATE e"])
  })

  test("leave out other programs than the subscription's", async () => {
    const { bl, enrolled, makeEvent, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    const [program, other] = [await makeProgram(), await makeProgram()]
    await subscribe(bl, url, { programID: program.id }, { objects: ["PROGRAM", "EVENT", "REPORT"] })
    const event = await makeEvent({ programID: program.id, eventName: "e" })
    const foreign = await makeEvent({ programID: other.id, eventName: "not this" })
    const ven = await enrolled()
    const report = (eventID: string, reportName: string) =>
      ven.ok("POST", "/reports", { eventID, reportName, clientName: "v", resources: [] })
    await report(event.id, "r")
    await report(foreign.id, "not this")
    await sendDue()
    expect(summary(posts())).toEqual(["CREATE e", "CREATE r"])
  })

  test("are not sent for a request that is refused", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    await subscribe(bl, url)
    await makeProgram({ programName: "one" })
    expect((await bl.call("POST", "/programs", { programName: "one" })).status).toBe(409)
    await sendDue()
    expect(summary(posts())).toEqual(["CREATE one"])
  })

  test("tell a VEN what it sees, with the targets that it was granted and has subscribed with", async () => {
    const { bl, enrolled, makeEvent, newVen } = await makeVtn(app)
    const ven = await enrolled(["group-1", "group-3"])
    const [targeted, untargeted, stranger, everything] = [address(), address(), address(), address()]
    await subscribe(ven, targeted.url, { targets: ["group-1", "group-2"] }, { objects: ["EVENT"] })
    await subscribe(ven, untargeted.url, {}, { objects: ["EVENT"] })
    await subscribe(await newVen(), stranger.url, { targets: ["group-1"] }, { objects: ["EVENT"] })
    await subscribe(bl, everything.url, {}, { objects: ["EVENT"] })
    await makeEvent({ eventName: "open" })
    await makeEvent({ eventName: "one", targets: ["group-2", "group-1"] })
    await makeEvent({ eventName: "two", targets: ["group-2"] })
    await makeEvent({ eventName: "three", targets: ["group-3"] })
    await sendDue()
    expect(summary(targeted.posts())).toEqual(["CREATE open", "CREATE one"])
    expect(targeted.posts()[1]!.body).toMatchObject({ targets: ["group-1"], object: { targets: ["group-1"] } })
    expect(summary(untargeted.posts())).toEqual(["CREATE open"])
    expect(summary(stranger.posts())).toEqual(["CREATE open"])
    expect(summary(everything.posts())).toEqual(["CREATE open", "CREATE one", "CREATE two", "CREATE three"])
    expect(everything.posts()[1]!.body.object.targets).toEqual(["group-2", "group-1"])
  })

  test("to business logic with targets are of objects that have all of them", async () => {
    const { bl, makeEvent } = await makeVtn(app)
    const { posts, url } = address()
    await subscribe(bl, url, { targets: ["a", "b"] }, { objects: ["EVENT"] })
    await makeEvent({ eventName: "both", targets: ["b", "c", "a"] })
    await makeEvent({ eventName: "one", targets: ["a"] })
    await makeEvent({ eventName: "none" })
    await sendDue()
    expect(summary(posts())).toEqual(["CREATE both"])
  })

  test("about vens, resources, reports and subscriptions go to their owner and to business logic", async () => {
    const { bl, enrolled, makeEvent } = await makeVtn(app)
    const [ven, other] = [await enrolled(), await enrolled()]
    const [own, foreign, all] = [address(), address(), address()]
    const objects = ["VEN", "RESOURCE", "REPORT", "SUBSCRIPTION"]
    await subscribe(ven, own.url, {}, { objects })
    await subscribe(other, foreign.url, {}, { objects })
    await subscribe(bl, all.url, {}, { objects })
    const event = await makeEvent()
    await ven.ok("PUT", `/vens/${ven.ven.id}`, { objectType: "VEN_VEN_REQUEST", venName: "renamed" })
    await ven.ok("POST", "/resources", {
      objectType: "VEN_RESOURCE_REQUEST",
      venID: ven.ven.id,
      resourceName: "battery"
    })
    await ven.ok("POST", "/reports", { eventID: event.id, clientName: "v", reportName: "usage", resources: [] })
    await subscribe(ven, address().url, { clientName: "second" }, { objects: ["EVENT"] })
    await sendDue()
    const expected = ["UPDATE renamed", "CREATE battery", "CREATE usage", "CREATE second"]
    expect(summary(own.posts())).toEqual(expected)
    // Others are told of a subscription that was made after theirs, where it is theirs to see.
    expect(summary(all.posts())).toEqual(expected)
    expect(foreign.posts()).toEqual([])
  })

  test("that another workspace has are told to nobody here", async () => {
    const [one, other] = [await makeVtn(app), await makeVtn(app)]
    const { posts, url } = address()
    await subscribe(one.bl, url)
    await other.makeProgram()
    await sendDue()
    expect(posts()).toEqual([])
  })

  test("that are not accepted are sent again, in their order, without holding up other callbacks", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    const subscription = await subscribe(bl, url)
    const due = () =>
      app.sql((sql) => sql`UPDATE vtn_callbacks SET due_at = now() WHERE subscription_id = ${subscription.id}`)
    callback.status = 503
    await makeProgram({ programName: "one" })
    await makeProgram({ programName: "two" })
    await sendDue()
    expect(summary(posts())).toEqual(["CREATE one"])
    await sendDue()
    expect(posts()).toHaveLength(1)
    callback.status = 200
    await due()
    await sendDue()
    expect(summary(posts())).toEqual(["CREATE one", "CREATE one", "CREATE two"])
    const [row] = await app.sql<{ failures: number }>(
      (sql) => sql`SELECT failures FROM vtn_callbacks WHERE subscription_id = ${subscription.id}`
    )
    expect(row).toEqual({ failures: 0 })
  })

  test("end at a callback that has failed for a day, until its subscription is updated", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    const subscription = await subscribe(bl, url)
    const state = () =>
      app.sql<{ broken: boolean; waiting: number }>(
        (sql) => sql`SELECT broken_at IS NOT NULL AS broken,
            (SELECT count(*)::int FROM vtn_notifications WHERE callback_id = callback.id) AS waiting
          FROM vtn_callbacks callback WHERE subscription_id = ${subscription.id}`
      )
    callback.status = 500
    await makeProgram()
    await sendDue()
    expect(await state()).toEqual([{ broken: false, waiting: 1 }])
    await app.sql(
      (sql) => sql`UPDATE vtn_callbacks SET due_at = now(), failing_since = now() - interval '25 hours'
        WHERE subscription_id = ${subscription.id}`
    )
    await sendDue()
    expect(await state()).toEqual([{ broken: true, waiting: 0 }])
    await makeProgram()
    expect(await state()).toEqual([{ broken: true, waiting: 0 }])
    const before = posts().length
    callback.status = 200
    await bl.ok("PUT", `/subscriptions/${subscription.id}`, { clientName: "again", objectOperations: [entry(url)] })
    await makeProgram({ programName: "after" })
    await sendDue()
    expect(summary(posts().slice(before))).toEqual(["CREATE after"])
  })
})

/** Lets calls of some addresses wait for their response until they are released. */
const holdCalls = (urls: ReadonlyArray<string>) => {
  const paths = new Set(urls.map((url) => new URL(url).pathname))
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let waiting = 0
  callback.status = async (_, path) => {
    if (!paths.has(path)) return 200
    waiting += 1
    await released
    waiting -= 1
    return 200
  }
  const end = async () => {
    release()
    await eventually("the end of the calls", () => (waiting === 0 ? true : undefined))
    callback.status = 200
  }
  onTestFinished(async () => {
    await end()
    await sendDue()
  })
  return { end, countWaiting: () => waiting }
}

/** Claims until nothing more is due, or has room. */
const claimAll = async () => {
  while ((await step()) > 0);
}

describe("a callback that does not respond", () => {
  test("delays no other one", async () => {
    const { bl, enrolled, makeProgram } = await makeVtn(app)
    const [slow, other, ofVen] = [address(), address(), address()]
    await subscribe(bl, slow.url)
    await subscribe(bl, other.url)
    await subscribe(await enrolled(), ofVen.url)
    const calls = holdCalls([slow.url])
    await makeProgram({ programName: "one" })
    await claimAll()
    await eventually("the call", () => (calls.countWaiting() === 1 ? true : undefined))
    await eventually("the others", async () => ((await countLeases()) === 1 ? true : undefined))
    await makeProgram({ programName: "two" })
    await claimAll()
    await eventually("the others again", async () => (ofVen.posts().length === 2 ? true : undefined))
    expect(calls.countWaiting()).toBe(1)
    expect(summary(other.posts())).toEqual(["CREATE one", "CREATE two"])
    expect(summary(ofVen.posts())).toEqual(["CREATE one", "CREATE two"])
  })

  test("gets what comes meanwhile after it has responded, in the order of the changes", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    await subscribe(bl, url)
    const calls = holdCalls([url])
    await makeProgram({ programName: "one" })
    await makeProgram({ programName: "two" })
    await claimAll()
    await eventually("the call", () => (calls.countWaiting() === 1 ? true : undefined))
    await makeProgram({ programName: "three" })
    await claimAll()
    expect(summary(posts())).toEqual(["CREATE one"])
    await calls.end()
    await eventually("the end of the lease", async () => ((await countLeases()) === 0 ? true : undefined))
    await sendDue()
    expect(summary(posts())).toEqual(["CREATE one", "CREATE two", "CREATE three"])
  })

  test("is told by another instance, in order, what one that is gone has not told it", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    const { id } = await subscribe(bl, url)
    await makeProgram({ programName: "one" })
    await makeProgram({ programName: "two" })
    const gone = randomUUID()
    await app.sql(
      (sql) => sql`UPDATE vtn_callbacks SET claim = ${randomUUID()}::uuid, holder = ${gone}::uuid,
        due_at = now() + interval '1 minute' WHERE subscription_id = ${id} RETURNING 1`
    )
    await sendDue()
    expect(posts()).toEqual([])
    await app.run(Effect.flatMap(NotificationRunner, (runner) => runner.endLeases(gone)))
    await sendDue()
    expect(summary(posts())).toEqual(["CREATE one", "CREATE two"])
  })

  test("is told by another instance once the lease of one that stands still has run out", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    const { id } = await subscribe(bl, url)
    await makeProgram({ programName: "one" })
    await app.sql(
      (sql) => sql`UPDATE vtn_callbacks SET claim = ${randomUUID()}::uuid, holder = ${randomUUID()}::uuid,
        due_at = now() WHERE subscription_id = ${id} RETURNING 1`
    )
    await sendDue()
    expect(summary(posts())).toEqual(["CREATE one"])
  })

  const { calledTogether, failingTogether, perClient } = notificationLimits

  /** A client with a subscription of several callbacks. */
  const arrangeMany = async (client: VtnClient, count: number) => {
    const places = Array.from({ length: count }, () => address())
    const subscription = await client.ok("POST", "/subscriptions", {
      clientName: "many",
      objectOperations: places.map(({ url }) => entry(url))
    })
    return { places, urls: places.map(({ url }) => url), subscription }
  }

  test("takes room of its own client alone, however many there are", async () => {
    const { bl, enrolled, makeProgram } = await makeVtn(app)
    const many = await arrangeMany(bl, 2 * perClient - 1)
    const calls = holdCalls(many.urls)
    await makeProgram({ programName: "one" })
    await claimAll()
    await eventually("the calls", () => (calls.countWaiting() === perClient ? true : undefined))
    const other = address()
    await subscribe(await enrolled(), other.url)
    await makeProgram({ programName: "two" })
    await claimAll()
    await eventually("the other", () => (other.posts().length === 1 ? true : undefined))
    expect(calls.countWaiting()).toBe(perClient)
    await calls.end()
    await eventually("the end of the leases", async () => ((await countLeases()) === 0 ? true : undefined))
    await sendDue()
    for (const { posts } of many.places) expect(summary(posts())).toEqual(["CREATE one", "CREATE two"])
  })

  test("and has failed before takes none of the room that is kept for those that work", async () => {
    const { enrolled, makeProgram } = await makeVtn(app)
    const clients = await Promise.all(Array.from({ length: failingTogether / perClient + 1 }, () => enrolled()))
    const failing = await Promise.all(clients.map((client) => arrangeMany(client, perClient)))
    for (const { subscription } of failing) {
      await app.sql(
        (sql) => sql`UPDATE vtn_callbacks SET failures = 3, failing_since = now()
          WHERE subscription_id = ${subscription.id} RETURNING 1`
      )
    }
    const calls = holdCalls(failing.flatMap(({ urls }) => urls))
    await makeProgram({ programName: "one" })
    await eventually("the calls", async () => {
      await claimAll()
      return calls.countWaiting() === failingTogether ? true : undefined
    })
    expect(calls.countWaiting()).toBeLessThan(calledTogether)
    const other = address()
    await subscribe(await enrolled(), other.url)
    await makeProgram({ programName: "two" })
    await claimAll()
    await eventually("the other", () => (other.posts().length === 1 ? true : undefined))
    expect(calls.countWaiting()).toBe(failingTogether)
  })
})

describe("the subscriptions that operators see", () => {
  test("go on to a callback that takes some of them, however long it has failed at others", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { posts, url } = address()
    const subscription = await subscribe(bl, url)
    await makeProgram({ programName: "one" })
    await makeProgram({ programName: "two" })
    await app.sql(
      (sql) => sql`UPDATE vtn_callbacks SET failures = 5, failing_since = now() - interval '25 hours'
        WHERE subscription_id = ${subscription.id}`
    )
    callback.status = ({ object }) => (object.programName === "one" ? 200 : 503)
    await sendDue()
    callback.status = 200
    expect(summary(posts())).toEqual(["CREATE one", "CREATE two"])
    const rows = await app.sql(
      (sql) => sql`SELECT failures, broken_at AS "brokenAt", failing_since > now() - interval '1 hour' AS "isNew",
          (SELECT count(*)::int FROM vtn_notifications WHERE callback_id = callback.id) AS waiting
        FROM vtn_callbacks callback WHERE subscription_id = ${subscription.id}`
    )
    expect(rows).toEqual([{ failures: 1, brokenAt: null, isNew: true, waiting: 1 }])
  })

  test("say since when a callback fails and why, that it is broken, and that it works again", async () => {
    const vtn = await makeVtn(app)
    const { keys } = await app.workspace(vtn.organizationId)
    const ven = await vtn.enrolled()
    const { url } = address()
    const subscription = await subscribe(ven, `${url}?secret=in-the-url`)
    const { key } = await app.key(vtn, "SERVER")
    const list = async (query = "") => (await app.call("GET", `/v1/openadr/subscriptions${query}`, { key })).body
    const one = async () => (await list()).data[0]
    const due = () =>
      app.sql((sql) => sql`UPDATE vtn_callbacks SET due_at = now() WHERE subscription_id = ${subscription.id}`)
    const healthy = {
      status: "HEALTHY",
      failures: 0,
      failingSince: null,
      nextAttemptAt: null,
      brokenAt: null,
      pending: 0
    }
    expect(await one()).toMatchObject({
      id: subscription.id,
      clientId: ven.clientId,
      role: "VEN",
      venName: ven.ven.venName,
      clientName: "subscriber",
      status: "HEALTHY",
      callbacks: [{ ...healthy, url: `${callback.url}/********`, lastFailureAt: null, lastError: null }]
    })

    callback.status = 503
    const before = Date.now()
    await vtn.makeProgram()
    await sendDue()
    const { callbacks, status } = await one()
    expect(status).toBe("FAILING")
    expect(callbacks).toMatchObject([
      { status: "FAILING", failures: 1, lastError: "The response had the status 503", brokenAt: null, pending: 1 }
    ])
    expect(Date.parse(callbacks[0].failingSince)).toBeGreaterThanOrEqual(before - 1)
    expect(callbacks[0].lastFailureAt).toBe(callbacks[0].failingSince)
    expect(Date.parse(callbacks[0].nextAttemptAt)).toBeGreaterThan(Date.parse(callbacks[0].lastFailureAt))
    expect((await list("?status=FAILING,BROKEN")).totalItems).toBe(1)
    expect((await list("?status=HEALTHY")).data).toEqual([])

    await app.sql(
      (sql) => sql`UPDATE vtn_callbacks SET failing_since = now() - interval '25 hours'
        WHERE subscription_id = ${subscription.id}`
    )
    await due()
    await sendDue()
    const broken = await one()
    expect(broken).toMatchObject({ status: "BROKEN", callbacks: [{ status: "BROKEN", failures: 2, pending: 0 }] })
    expect(broken.callbacks[0].brokenAt).toBe(broken.callbacks[0].lastFailureAt)
    expect(broken.callbacks[0].nextAttemptAt).toBeNull()

    callback.status = 200
    await ven.ok("PUT", `/subscriptions/${subscription.id}`, {
      clientName: "subscriber",
      objectOperations: [entry(url)]
    })
    expect(await one()).toMatchObject({ status: "HEALTHY", callbacks: [healthy] })
    expect(JSON.stringify(await list())).not.toContain("in-the-url")
    expect((await app.call("GET", "/v1/openadr/subscriptions", { key: keys.MANAGEMENT })).status).toBe(401)
  })

  test("keep the last failure of a callback that has recovered", async () => {
    const vtn = await makeVtn(app)
    const subscription = await subscribe(vtn.bl, address().url)
    const { key } = await app.key(vtn, "SERVER")
    callback.status = 500
    await vtn.makeProgram()
    await sendDue()
    callback.status = 200
    await app.sql((sql) => sql`UPDATE vtn_callbacks SET due_at = now() WHERE subscription_id = ${subscription.id}`)
    await sendDue()
    const { body } = await app.call("GET", "/v1/openadr/subscriptions", { key })
    expect(body.data).toMatchObject([
      {
        role: "BL",
        venName: null,
        programName: null,
        status: "HEALTHY",
        callbacks: [{ failures: 0, failingSince: null, lastError: "The response had the status 500" }]
      }
    ])
    expect(body.data[0].callbacks[0].lastFailureAt).not.toBeNull()
  })

  test("are those of the workspace alone", async () => {
    const [one, other] = [await makeVtn(app), await makeVtn(app)]
    await subscribe(one.bl, address().url)
    const { key } = await app.key(other, "SERVER")
    expect((await app.call("GET", "/v1/openadr/subscriptions", { key })).body).toMatchObject({
      data: [],
      totalItems: 0
    })
  })
})
