import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Adapters } from "@edp/server/accounts/adapter-hosts/Adapters"
import { adapterVariable } from "@edp/server/platform/config/ServerConfig"
import { isInNetworks, parseDeviceNetworks } from "@edp/server/platform/network/deviceNetworks"
import { Effect, Redacted, Schema } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { TestApp } from "../../../support/TestApp.ts"
import { writeFileSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const settings = Schema.Struct({
  clientId: Schema.String,
  clientSecret: Schema.RedactedFromValue(Schema.String),
  region: Schema.optionalKey(Schema.Literals(["na", "eu"]))
})

const start = async (env: Record<string, string>, fails = false) => {
  let given: any
  const create = (found: unknown) => {
    given = found
    return fails ? Effect.fail(AdapterError.of("misconfigured", "No")) : Effect.void
  }
  const scripted = scriptedAdapter({ settings, create })
  const other = scriptedAdapter({ slug: "other" })
  const app = new TestApp()
  onTestFinished(() => app.stop())
  await app.start({ env, adapters: [scripted.adapter, other.adapter] })
  const running = await app.run(Effect.map(Adapters, (all) => all.running.map(({ manifest }) => manifest.slug)))
  const [{ connectable }] = (await app.sql<any>(
    (sql) => sql`SELECT coalesce((SELECT connectable FROM manufacturers WHERE slug = 'scripted'), false) AS connectable`
  )) as [any]
  return { app, connectable, given, running, scripted }
}

const id = { EDP_SCRIPTED_CLIENT_ID: "platform" }

describe("the settings of an adapter", () => {
  test("are the variables of its slug and its fields", () => {
    expect(adapterVariable("tesla", "clientId")).toBe("EDP_TESLA_CLIENT_ID")
    expect(adapterVariable("sma-local", "apiURL2Key")).toBe("EDP_SMA_LOCAL_API_URL2_KEY")
  })

  test("start one instance of it, and make its manufacturer connectable", async () => {
    const { connectable, given, running, scripted } = await start({ ...id, EDP_SCRIPTED_CLIENT_SECRET: "secret" })
    expect({ connectable, running }).toEqual({ connectable: true, running: ["scripted", "other"] })
    expect(scripted.counts.created).toBe(1)
    expect(given.clientId).toBe("platform")
    expect(Redacted.value(given.clientSecret)).toBe("secret")
  })

  test("may come from files", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "edp-setting-")), "secret")
    writeFileSync(file, "from a file\n")
    const { given } = await start({ ...id, EDP_SCRIPTED_CLIENT_SECRET_FILE: file })
    expect(Redacted.value(given.clientSecret)).toBe("from a file")
  })

  test("leave it out while a required one is missing", async () => {
    const { connectable, running } = await start(id)
    expect({ connectable, running }).toEqual({ connectable: false, running: ["other"] })
  })

  test("end the start with one line that names the variable and no value if one is invalid", async () => {
    const started = start({ ...id, EDP_SCRIPTED_CLIENT_SECRET: "secret", EDP_SCRIPTED_REGION: "moon" })
    await expect(started).rejects.toThrow(/EDP_SCRIPTED_REGION/u)
    await expect(started).rejects.not.toThrow(/moon|secret/u)
  })

  test("leave out an adapter that does not start, and no other", async () => {
    const { connectable, running } = await start({ ...id, EDP_SCRIPTED_CLIENT_SECRET: "secret" }, true)
    expect({ connectable, running }).toEqual({ connectable: false, running: ["other"] })
  })
})

describe("device networks", () => {
  const allows = (setting: string, address: string) => isInNetworks(parseDeviceNetworks(setting)!, address)

  test("are words and ranges", () => {
    expect(parseDeviceNetworks("private, 10.0.0.0/8,fd00::/8")).toBeDefined()
    for (const wrong of ["", "loopback", "10.0.0.0", "10.0.0.0/33", "private;public"]) {
      expect(parseDeviceNetworks(wrong)).toBeUndefined()
    }
  })

  test("hold the addresses of a word and of no other", () => {
    for (const address of ["192.168.1.7", "10.2.3.4", "172.16.0.1", "fd12::1", "::ffff:192.168.1.7"]) {
      expect([address, allows("private", address), allows("public", address)]).toEqual([address, true, false])
    }
    for (const address of ["8.8.8.8", "2606:4700::1111"]) {
      expect([address, allows("private", address), allows("public", address)]).toEqual([address, false, true])
    }
  })

  test("hold this machine and link-local addresses only where they are named", () => {
    for (const address of ["127.0.0.1", "::1", "169.254.169.254", "fe80::1", "0.0.0.0", "224.0.0.1"]) {
      expect([address, allows("private,public", address)]).toEqual([address, false])
    }
    expect(allows("127.0.0.0/8", "127.0.0.1")).toBe(true)
    expect(allows("127.0.0.0/8", "::ffff:127.0.0.1")).toBe(true)
    expect(allows("127.0.0.0/8", "128.0.0.1")).toBe(false)
    expect(allows("::1/128", "::1")).toBe(true)
  })
})
