import { matterAdapter } from "@edp/adapter-matter/matterAdapter"
import { Effect } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startAdapter } from "../mqtt/onBroker.ts"
import { manualCode, type MatterHome, startMatterHome } from "./MatterHome.ts"

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const adapter = async () => {
  const started = await startAdapter(matterAdapter, { reportSeconds: 1, keepAliveSeconds: 5 })
  closing.push(started.close)
  return started
}

describe("the form of a Matter device", () => {
  let home: MatterHome
  beforeAll(async () => void (home = await startMatterHome()))
  afterAll(() => home?.close())

  it.each([
    ["", "code must be the 11 or 21 digits"],
    ["1234", "code must be the 11 or 21 digits"],
    ["MT:", "code must be the 11 or 21 digits"],
    ["34970112333", "This one has a wrong digit"]
  ])("says what the code %j should be", async (code, says) => {
    const { refused } = await adapter()
    const error = await refused({ code })
    expect(error).toMatchObject({ failure: "misconfigured" })
    expect(error.message).toContain(says)
  })

  it("names the range of the capacity", async () => {
    const { refused } = await adapter()
    expect(await refused({ code: "34970112332", batteryCapacity: "5" })).toMatchObject({
      failure: "misconfigured",
      message: "batteryCapacity must be a whole number of Wh from 100 to 1000000"
    })
  })

  it("distinguishes a code that no device has from the wrong code of a device that is there", async () => {
    const { refused } = await adapter()
    const nobody = await refused({ code: manualCode(31_415_926, (Number(home.manualCode[0]) * 1024 + 512) ^ 0xfff) })
    expect(nobody).toMatchObject({
      failure: "unreachable",
      message: "No device with this code was found. It must be in pairing mode, and in the network of the platform"
    })
    const wrong = await refused({ code: home.wrongCode })
    expect(wrong).toMatchObject({
      failure: "misconfigured",
      message: "code is not the code of the device that was found: check all of its digits"
    })
    expect(await home.fabrics()).toBe(0)
  })

  it("pairs by the text of a QR code, and gives the device back when the account is disconnected", async () => {
    const { instance, link } = await adapter()
    const account = await link({ code: home.qrCode })
    expect(account.externalId).toBe(home.identity)
    expect(await home.fabrics()).toBe(1)
    await Effect.runPromise(instance.revoke!(account))
    expect(await home.fabrics()).toBe(0)
  })

  it("pairs by the digits, also with the hyphens that are printed", async () => {
    const { link } = await adapter()
    const code = home.manualCode.replace(/^(....)(...)(....)$/, "$1-$2-$3")
    expect((await link({ code })).externalId).toBe(home.identity)
  })
})
