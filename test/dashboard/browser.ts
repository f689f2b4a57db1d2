import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request
} from "playwright-core"
import { expect } from "vitest"
import { axe, runAxe } from "../support/axe.ts"
import { buildDashboard } from "../support/buildDashboard.ts"
import { browserProgram } from "../support/chromium.ts"
import { pickInTurn } from "../support/rounds.ts"
import { eventually } from "../support/eventually.ts"

export const phone = { width: 390, height: 844 }
export const desktop = { width: 1280, height: 900 }

/** Milliseconds after which an element that is still missing fails a test. */
const PATIENCE_MS = 100_000

/** `keepsPages`: it keeps left pages for the way back, as people's browsers do; Playwright's flag against it is taken out. */
export const startChromium = async ({ keepsPages = false } = {}): Promise<Browser> => {
  await buildDashboard()
  return chromium.launch({
    executablePath: browserProgram({ whole: keepsPages }),
    args: ["--no-sandbox", "--disable-gpu"],
    ...(keepsPages && { ignoreDefaultArgs: ["--disable-back-forward-cache"] }),
    timeout: PATIENCE_MS
  })
}

/** Characters of more than one byte may be split: each byte becomes one character, so that searches for ASCII find what they should. */
const decoded = (base64: string) => Buffer.from(base64, "base64").toString("latin1")

/** Everything that the pages of a suite asked for, received and complained about. */
export class Record {
  readonly #origin: string
  readonly #reading: Array<Promise<void>> = []
  /** Bodies of responses, by method and address. */
  readonly replies: Array<{ readonly of: string; readonly text: string }> = []
  /** The live streams of the pages, with what they have sent so far. */
  readonly streams: Array<{ readonly of: string; text: string }> = []
  /** Requests to other origins. */
  readonly foreign: Array<string> = []
  /** Errors of the console, exceptions and violated policies. */
  complaints: Array<string> = []

  constructor(origin: string) {
    this.#origin = origin
  }

  watch(context: BrowserContext) {
    context.on("request", (request) => {
      const { origin, protocol } = new URL(request.url())
      if (/^https?:$/.test(protocol) && origin !== this.#origin) this.foreign.push(request.url())
    })
    // A stream does not end: it is read as it comes.
    context.on("requestfinished", (request) => {
      this.#reading.push(
        // The page may have been closed already, or left before the body of a response was read.
        request
          .response()
          .catch(() => null)
          .then(async (response) => {
            if (response === null || response.headers()["content-type"]?.startsWith("text/event-stream")) return
            const text = await response.text().catch(() => "")
            this.replies.push({ of: `${request.method()} ${request.url()}`, text })
          })
      )
    })
    // A page may be closed before its streams could be read.
    context.on("page", (page) => void this.#readStreams(page).catch(() => {}))
    context.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(`${message.text()} ${message.location().url}`)
    })
    context.on("weberror", (error) => void this.complaints.push(String(error.error())))
  }

  async #readStreams(page: Page) {
    const devtools = await page.context().newCDPSession(page)
    const open = new Map<string, { text: string }>()
    devtools.on("Network.responseReceived", async ({ requestId, response: { mimeType, url } }) => {
      if (mimeType !== "text/event-stream") return
      const stream = { of: `GET ${url}`, text: "" }
      this.streams.push(stream)
      open.set(requestId, stream)
      // The page may have been left already.
      const { bufferedData } = await devtools
        .send("Network.streamResourceContent", { requestId })
        .catch(() => ({ bufferedData: "" }))
      stream.text += decoded(bufferedData)
    })
    devtools.on("Network.dataReceived", ({ requestId, data }) => {
      const stream = open.get(requestId)
      if (stream !== undefined && data !== undefined) stream.text += decoded(data)
    })
    await devtools.send("Network.enable")
  }

  /** Takes the complaints since the last call. */
  takeComplaints(): ReadonlyArray<string> {
    const taken = this.complaints
    this.complaints = []
    return taken
  }

  /** The responses and streams that contain one of the secrets. */
  async leaks(secrets: ReadonlyArray<string>): Promise<ReadonlyArray<string>> {
    await Promise.all(this.#reading)
    return [...this.replies, ...this.streams]
      .filter(({ text }) => secrets.some((secret) => text.includes(secret)))
      .map(({ of }) => of)
  }
}

/** The live stream, which does not end. */
export const STREAM = /\/dashboard\/api\/stream/

/** Requests of a page that are not answered yet, but for its live stream. */
const unanswered = new WeakMap<Page, Set<Request>>()

const watchRequests = (page: Page) => {
  const requests = new Set<Request>()
  const end = (request: Request) => void requests.delete(request)
  unanswered.set(page, requests)
  page.on("request", (request) => void (STREAM.test(request.url()) || requests.add(request)))
  page.on("requestfinished", end)
  page.on("requestfailed", end)
}

/** Opens a browser's store of cookies and settings, whose pages are recorded. */
export const openContext = async (browser: Browser, record: Record, options: BrowserContextOptions = {}) => {
  const context = await browser.newContext({
    viewport: desktop,
    reducedMotion: "reduce",
    locale: "en-US",
    timezoneId: "America/Los_Angeles",
    ...options
  })
  context.setDefaultTimeout(PATIENCE_MS)
  context.on("page", watchRequests)
  record.watch(context)
  return context
}

/** Signs in on the page that is open, and waits for the page that it leads to. */
export const signIn = async (page: Page, key: string) => {
  await page.getByLabel("MANAGEMENT key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForSelector("main#content h1")
  await settled(page)
}

const isShown = `!!document.querySelector("h1")?.textContent && !document.querySelector("main .loading, main [aria-busy=true]")`

/** Whether the page is shown, once it has nothing else to do. */
const isShownAtRest = `new Promise((rest) => requestIdleCallback(() => rest(${isShown})))`

/** Waits until the page shows its heading, and nothing of it is being loaded. The policy of the page allows no polling within it. */
export const settled = (page: Page) => {
  const isAnswered = () => unanswered.get(page)?.size === 0
  // The page may be left meanwhile for the one that it leads to.
  const isSettled = async () => isAnswered() && (await page.evaluate(isShownAtRest).catch(() => false)) && isAnswered()
  return eventually(
    `the page has its heading and its data: ${page.url()}`,
    async () => (await isSettled()) || undefined
  )
}

/** The colours and sizes of a person's device. */
const looks = (["light", "dark"] as const).flatMap((colorScheme) => [
  { colorScheme, device: "desktop", size: desktop },
  { colorScheme, device: "phone", size: phone }
])

/** The violations of accessibility rules in one of the looks in turn, or in all if pictures are taken. Pages begin at different ones. */
export const checkLooks = async (page: Page, offset: number, picture: (look: string) => string | undefined) => {
  await page.evaluate(axe)
  const found: Array<string> = []
  const isPictured = picture("") !== undefined
  for (const { colorScheme, device, size } of isPictured ? looks : pickInTurn(1, looks, offset)) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(size)
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    const violations = (await page.evaluate(runAxe)) as ReadonlyArray<string>
    found.push(...violations.map((each) => `${colorScheme}, ${device}: ${each}`))
    const path = picture(`${colorScheme}-${device}`)
    if (path !== undefined) await page.screenshot({ path, fullPage: true })
  }
  return found
}

/** Presses Tab until the focus leaves the page, and returns what it reached. Fails where the focus cannot be seen. */
export const tabThrough = async (page: Page, most = 80) => {
  const reached: Array<string> = []
  while (reached.length < most) {
    await page.keyboard.press("Tab")
    const at = (await page.evaluate(`(() => {
      const at = document.activeElement
      if (at === null || at === document.body) return null
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at)
      const isSeen = (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none"
      return { name: at.getAttribute("aria-label") ?? at.textContent.trim().slice(0, 60), isSeen }
    })()`)) as { readonly name: string; readonly isSeen: boolean } | null
    if (at === null) return reached
    expect(at.isSeen, `the focus on "${at.name}" is visible`).toBe(true)
    reached.push(at.name)
  }
  return reached
}

/** The addresses of all pages, in the order of the router. */
export const routedAddresses = (): ReadonlyArray<string> => {
  const router = fileURLToPath(new URL("../../packages/dashboard/src/app/router.tsx", import.meta.url))
  return [...readFileSync(router, "utf8").matchAll(/page\(\s*"([^"]+)"/g)].map(([, path]) => path!)
}
