import { execFileSync, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { sign, toSecret } from "@edp/domain/events/webhookSignature"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describeServer } from "../support/describeServer.ts"
import { launch, type Launched } from "../support/launch.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))
const filePath = (name: string) => `${top}examples/receive-webhook/${name}`
const secret = toSecret(new Uint8Array(32).fill(5))
const other = toSecret(new Uint8Array(32).fill(6))

const installed = (program: string, ...args: ReadonlyArray<string>) => {
  try {
    execFileSync(program, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const now = () => Math.floor(Date.now() / 1000)

/** A delivery as the platform makes it; not everything of it is text of ASCII. */
const delivery = async (id: string, secrets = [secret], timestamp = now()): Promise<Delivery> => {
  const body = JSON.stringify({ id, type: "ALERT_CREATED", data: { alert: { title: "Zu heiß 🔥" } } })
  const signature = await sign(secrets, { id, timestamp, body })
  return { body, headers: { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature } }
}

const withHeader = ({ body, headers }: Delivery, name: string, value: string): Delivery => ({
  body,
  headers: { ...headers, [name]: value }
})

/** Deliveries that only the platform can have signed. */
const forgeries: ReadonlyArray<readonly [string, () => Promise<Delivery>]> = [
  ["a changed body", async () => ({ ...(await delivery("e1")), body: '{"id":"e1","type":"ALERT_UPDATED"}' })],
  ["another id", async () => withHeader(await delivery("e1"), "webhook-id", "e2")],
  [
    "another time",
    async () => {
      const made = await delivery("e1")
      return withHeader(made, "webhook-timestamp", String(Number(made.headers["webhook-timestamp"]) - 1))
    }
  ],
  ["an old delivery", () => delivery("e1", [secret], now() - 400)],
  ["a delivery of the future", () => delivery("e1", [secret], now() + 400)],
  ["another secret", () => delivery("e1", [other])],
  ["no signature", async () => withHeader(await delivery("e1"), "webhook-signature", "")],
  ["an empty signature", async () => withHeader(await delivery("e1"), "webhook-signature", "v1,")],
  [
    "half a signature",
    async () => {
      const made = await delivery("e1")
      return withHeader(made, "webhook-signature", made.headers["webhook-signature"]!.slice(0, 20))
    }
  ],
  [
    "another version of the signature",
    async () => {
      const made = await delivery("e1")
      return withHeader(made, "webhook-signature", made.headers["webhook-signature"]!.replace("v1,", "v2,"))
    }
  ],
  ["an invalid time", async () => withHeader(await delivery("e1"), "webhook-timestamp", "today")]
]

const receiverSuite =
  (program: string, ...args: ReadonlyArray<string>) =>
  () => {
    let receiver: Launched
    let url: string
    beforeAll(async () => {
      receiver = await launch(program, args, { env: { ...process.env, WEBHOOK_SECRET: secret, PORT: "0" } })
      await receiver.printed(/listening on \d+/)
      url = `http://127.0.0.1:${/listening on (\d+)/.exec(receiver.stdout())![1]}/`
    })
    afterAll(async () => {
      receiver.kill("SIGKILL")
      await receiver.exited
    })
    const post = async ({ body, headers }: Delivery) => (await fetch(url, { method: "POST", headers, body })).status
    const printed = (id: string) => receiver.stdout().split(id).length - 1

    test("accepts authentic deliveries, and prints each once", async () => {
      const made = await delivery("genuine")
      expect([await post(made), await post(made)]).toEqual([204, 204])
      await receiver.printed(/genuine/)
      expect(printed("genuine")).toBe(1)
    })

    test("accepts a delivery that is signed with the old secret and the new one", async () => {
      expect(await post(await delivery("rotated", [other, secret]))).toBe(204)
    })

    test.each(forgeries)("rejects %s", async (_, forge) => {
      expect(await post(await forge())).toBe(401)
      expect(printed("e1") + printed("e2")).toBe(0)
    })
  }

describe("the receiver in JavaScript", receiverSuite("node", filePath("receiver.js")))
describeServer(
  "python3",
  installed("python3", "--version"),
  "the receiver in Python",
  receiverSuite("python3", filePath("receiver.py"))
)
// A compiler of Java is too much to ask of every machine that runs the tests.
describe.runIf(installed("javac", "-version"))("the receiver in Java", receiverSuite("java", filePath("Receiver.java")))

describeServer("openssl", installed("openssl", "version"), "the recipe for the shell", () => {
  const verify = async ({ body, headers }: Delivery): Promise<string> => {
    const env = {
      ...process.env,
      WEBHOOK_SECRET: secret,
      WEBHOOK_ID: headers["webhook-id"],
      WEBHOOK_TIMESTAMP: headers["webhook-timestamp"],
      WEBHOOK_SIGNATURE: headers["webhook-signature"]
    }
    const child = spawn("bash", [filePath("verify.sh")], { env, stdio: ["pipe", "pipe", "ignore"] })
    child.stdin.end(body)
    const chunks: Array<Buffer> = []
    for await (const chunk of child.stdout) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString("utf8").trim()
  }

  test("accepts authentic deliveries, also with two secrets", async () => {
    expect(await verify(await delivery("e1"))).toBe("genuine")
    expect(await verify(await delivery("e1", [other, secret]))).toBe("genuine")
  })

  test.each(forgeries)("rejects %s", async (_, forge) => {
    expect(await verify(await forge())).toBe("refused")
  })

  test("executes nothing from a header", async () => {
    const forged = withHeader(await delivery("e1"), "webhook-timestamp", "a[$(echo genuine >&1)0]")
    expect(await verify(forged)).toBe("refused")
  })
})

test.each(["receiver.js", "receiver.py", "Receiver.java", "verify.sh"])(
  "the documents show the recipe of %s unchanged",
  (name) => {
    const [, recipe] = /(?:\/\/|#) recipe\n([^]*?)\n *(?:\/\/|#) end of the recipe/u.exec(
      readFileSync(filePath(name), "utf8")
    )!
    const indent = /^ */u.exec(recipe!)![0]
    const shown = recipe!.replaceAll(new RegExp(`^${indent}`, "gmu"), "")
    expect(readFileSync(`${top}docs/destinations.md`, "utf8")).toContain(shown)
  }
)
