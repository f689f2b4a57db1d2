import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { atOnce } from "../../../support/races.ts"

/** Requests whose windows may straddle a minute are repeated until they fell into one. */
const inOneWindow = async <A extends { readonly headers: Headers }>(run: () => Promise<ReadonlyArray<A>>) => {
  for (;;) {
    const responses = await run()
    const resets = new Set(responses.map((response) => response.headers.get("x-ratelimit-reset")))
    if (resets.size === 1) return responses
  }
}

/** Responses without a window in their headers: the clock shows whether they were in one. */
const inOneMinute = async <A>(run: () => Promise<A>): Promise<A> => {
  const window = Math.floor(Date.now() / 60_000)
  const responses = await run()
  return Math.floor(Date.now() / 60_000) === window ? responses : inOneMinute(run)
}

describe("limits of a key", () => {
  const app = useTestApp({ env: { EDP_RATE_LIMIT_READ: "5", EDP_RATE_LIMIT_WRITE: "2" } })

  test("429 RATE_LIMITED beyond the limit, with the headers and retryAfter", async () => {
    const responses = await inOneWindow(async () => {
      const { key } = await app.key(await app.workspace(), "SERVER", { limited: true })
      return atOnce(8, () => app.call("GET", "/v1/workspaces", { key }))
    })
    const allowed = responses.filter(({ status }) => status === 200)
    const refused = responses.filter(({ status }) => status === 429)
    expect([
      allowed.length,
      refused.length,
      responses.find(({ status }) => ![200, 429].includes(status))?.text
    ]).toEqual([5, 3, undefined])
    expect(allowed.map(({ headers }) => Number(headers.get("x-ratelimit-remaining"))).sort()).toEqual([0, 1, 2, 3, 4])
    for (const { body, headers } of refused) {
      const reset = Number(headers.get("x-ratelimit-reset"))
      expect(body.code).toBe("RATE_LIMITED")
      expect(headers.get("x-ratelimit-limit")).toBe("5")
      expect(headers.get("x-ratelimit-remaining")).toBe("0")
      expect(headers.get("retry-after")).toBe(String(body.retryAfter))
      expect(reset % 60).toBe(0)
      expect(body.retryAfter).toBeGreaterThan(0)
      expect(body.retryAfter).toBeLessThanOrEqual(60)
    }
  })

  test("are separate for reads and writes", async () => {
    const responses = await inOneWindow(async () => {
      const { key } = await app.key(await app.workspace(), "MANAGEMENT", { limited: true })
      const writes = Array.from({ length: 3 }, () => app.call("POST", "/v1/workspaces", { key, body: {} }))
      return Promise.all([...writes, app.call("GET", "/v1/workspaces", { key })])
    })
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 429])
  })

  test("set for the key override those of the deployment", async () => {
    const place = await app.workspace()
    const { id, key } = await app.key(place, "SERVER", { limited: true })
    const body = { rateLimits: { read: 700, write: null } }
    await app.call("PATCH", `/v1/api-keys/${id}`, { key: place.keys.MANAGEMENT, body })
    const response = await app.call("GET", "/v1/workspaces", { key })
    expect(response.headers.get("x-ratelimit-limit")).toBe("700")
  })

  test("count a scrape of /metrics as a read of its key", async () => {
    const responses = await inOneWindow(async () => {
      const { key } = await app.key(await app.workspace(), "MANAGEMENT", { limited: true })
      return atOnce(7, () => app.call("GET", "/metrics", { key }))
    })
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect(responses[0]!.headers.get("x-ratelimit-limit")).toBe("5")
    expect(responses.find(({ status }) => status === 429)!.headers.get("retry-after")).toMatch(/^\d+$/)
  })

  test("are sent before the request is validated", async () => {
    const responses = await inOneWindow(async () => {
      const { key } = await app.key(await app.workspace(), "MANAGEMENT", { limited: true })
      return atOnce(3, () => app.call("POST", "/v1/workspaces", { key, body: "{bad" }))
    })
    expect(responses.map(({ status }) => status).sort()).toEqual([400, 400, 429])
  })
})

describe("the rate class of a push", () => {
  const app = useTestApp({ env: { EDP_RATE_LIMIT_WRITE: "60", EDP_RATE_LIMIT_BULK: "100" } })

  test.each([
    ["readings", `{"readings":[]}`, "100"],
    ["readings whose name is escaped", String.raw`{"\u0072eadings":[]}`, "100"],
    ["readings with blanks around", ` {\n\t"readings" : [] }`, "100"],
    ["readings behind other fields", `{"a":{"b":1},"readings":[]}`, "100"],
    ["readings twice", `{"readings":1,"readings":[]}`, "100"],
    ["one reading", `{"state":{}}`, "60"],
    ["one reading with the word as a value", `{"state":{"name":"readings"}}`, "60"],
    ["readings inside of something else", `{"state":{"readings":[]}}`, "60"],
    ["an escaped character and no readings", String.raw`{"state":{"name":"\u0072eadings"}}`, "60"],
    ["an unreadable body", `{"a":"readings"`, "100"]
  ])("with %s", async (_, body, limit) => {
    const { key } = await app.key(await app.workspace(), "MANUFACTURER", { limited: true })
    const response = await app.call("POST", `/devices/c${"0".repeat(24)}/telemetry`, { key, body })
    expect(response.headers.get("x-ratelimit-limit")).toBe(limit)
  })
})

describe("limit of failed authentications", () => {
  const app = useTestApp({ env: { EDP_RATE_LIMIT_AUTH_FAILURES: "3", EDP_TRUSTED_PROXIES: "127.0.0.1" } })
  const from = (address: string) => ({ headers: { "X-Forwarded-For": address } })

  const failures = (address: string) =>
    inOneMinute(async () => {
      const responses = []
      for (let n = 0; n < 5; n++) responses.push(await app.call("GET", "/v1/workspaces", from(address)))
      return responses
    })

  test("429 RATE_LIMITED only for failing requests of that address", async () => {
    const responses = await failures("203.0.113.7")
    expect(responses.slice(-2).map(({ status }) => status)).toEqual([429, 429])
    expect(responses.at(-1)!.body.code).toBe("RATE_LIMITED")
    expect(Number(responses.at(-1)!.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await app.call("GET", "/v1/workspaces", from("203.0.113.8"))).status).toBe(401)
    const { keys } = await app.workspace()
    expect((await app.call("GET", "/v1/workspaces", { key: keys.SERVER, ...from("203.0.113.7") })).status).toBe(200)
  })

  test.each([
    ["of one IPv6 /64 network", ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:ffff::3", "2001:db8:1:2:8000::"]],
    ["that are spelt in several ways", ["::ffff:203.0.113.9", "203.0.113.9", "::FFFF:203.0.113.9", "::ffff:cb00:7109"]],
    [
      "in capitals, with zeros or a zone",
      ["2001:DB8:0:9::A", "2001:db8:0:9::a", "2001:0db8:0000:0009::a", "2001:db8:0:9::a%eth0"]
    ]
  ])("addresses %s count as one", async (_, addresses) => {
    const responses = await inOneMinute(async () => {
      const statuses = []
      for (const address of addresses) statuses.push((await app.call("GET", "/v1/workspaces", from(address))).status)
      return statuses
    })
    expect(responses.at(-1)).toBe(429)
  })

  test("adjacent networks are counted separately", async () => {
    for (const network of ["a", "b", "c", "d", "e"]) {
      expect((await app.call("GET", "/v1/workspaces", from(`2001:db8:77:${network}::1`))).status).toBe(401)
    }
  })

  test("failures on /metrics are counted", async () => {
    const responses = await inOneMinute(async () => {
      const got = []
      for (let n = 0; n < 4; n++)
        got.push(await app.call("GET", "/metrics", { key: "mgmt_x", ...from("203.0.113.20") }))
      return got
    })
    expect(responses.at(-1)!.body.code).toBe("RATE_LIMITED")
    expect(Number(responses.at(-1)!.headers.get("retry-after"))).toBeGreaterThan(0)
  })
})
