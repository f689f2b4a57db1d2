import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { setTimeout } from "node:timers/promises"

const chromium = "/usr/bin/chromium"

/** Chromium without the user interface around the pages: it computes a third less, and keeps no pages for the way back. */
const headlessShell = "/usr/bin/chromium-headless-shell"

/** Whether there is a Chromium to run. */
export const hasChromium = () => existsSync(chromium)

/** The program of a browser: a person's whole one, or a smaller one for the pages alone if it is installed. */
export const browserProgram = ({ whole }: { readonly whole: boolean }) =>
  !whole && existsSync(headlessShell) ? headlessShell : chromium

interface Message {
  readonly id?: number
  readonly method?: string
  /** The page that an event is from. */
  readonly sessionId?: string
  readonly result?: any
  readonly params?: any
}

export interface Page {
  /** The value of an expression in the page, which counts as a person's act; a promise is awaited. */
  readonly evaluate: (expression: string) => Promise<any>
  /** Waits until an expression in the page is true. */
  readonly until: (expression: string) => Promise<void>
  /** Goes to an address and waits until it has loaded. */
  readonly goTo: (url: string) => Promise<void>
  /** Clicks the element of a selector and waits until the page that follows has loaded. */
  readonly follow: (selector: string) => Promise<void>
  /** Reloads and waits until the page has loaded. */
  readonly reload: () => Promise<void>
  /** Goes back, perhaps to a page that was kept and is not loaded again. */
  readonly back: () => Promise<void>
  /** Types into the focused element. */
  readonly type: (text: string) => Promise<void>
  /** Presses a key, such as `Escape`. */
  readonly press: (key: string) => Promise<void>
  /** Turns the mouse wheel over a point, by pixels. */
  readonly wheel: (x: number, y: number, pixels: number) => Promise<void>
  /** The events of some categories that Chromium traces while something is done. */
  readonly trace: (categories: ReadonlyArray<string>, run: () => Promise<void>) => Promise<ReadonlyArray<any>>
  /** Sets the conditions under which pages are shown. */
  readonly emulate: (conditions: Conditions) => Promise<void>
  /** The whole page as a picture. */
  readonly screenshot: () => Promise<Buffer>
  /** Addresses of all requests so far, without those of `data:`. */
  readonly requests: ReadonlyArray<string>
  /** Errors and violated policies of the console. */
  readonly complaints: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

export interface Conditions {
  /** Width and height in CSS pixels. */
  readonly size?: readonly [number, number]
  readonly scheme?: "light" | "dark"
  readonly scripts?: boolean
  /** Accept-Language. */
  readonly language?: string
  /** How many times slower than the machine's the processor seems to the page. */
  readonly slowdown?: number
  /** Whether files of earlier loads are used again. */
  readonly cache?: boolean
}

export interface Browser {
  /** Opens a page; `apart` shares no cookies with the other ones. */
  readonly newPage: (options?: { readonly apart?: boolean }) => Promise<Page>
  readonly close: () => Promise<void>
}

/** The page was left for another one while an expression was evaluated in it. */
class PageLeft extends Error {
  constructor(expression: string) {
    super(`The page was left during: ${expression}`)
  }
}

/** Milliseconds after which a condition that is still false fails a test. */
const PATIENCE_MS = 100_000

const flags = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--remote-debugging-port=0"
]

/** Codes by which Chromium moves the focus, presses buttons and submits forms. */
const keyCodes: Readonly<Record<string, object>> = {
  Tab: { windowsVirtualKeyCode: 9 },
  Enter: { windowsVirtualKeyCode: 13, text: "\r" },
  Escape: { windowsVirtualKeyCode: 27 },
  " ": { windowsVirtualKeyCode: 32, text: " ", code: "Space" }
}

type Call = (method: string, params?: object) => Promise<any>

/** Commands and events of a browser and its pages, each of which is a session. */
const connect = async (url: string) => {
  const socket = new WebSocket(url)
  await once(socket, "open")
  const responses = new Map<number, (message: Message) => void>()
  const listeners = new Map<string, (method: string, params: any) => void>()
  let calls = 0
  socket.addEventListener("message", ({ data }) => {
    const message: Message = JSON.parse(data)
    if (message.id === undefined) listeners.get(message.sessionId ?? "")?.(message.method!, message.params)
    else {
      responses.get(message.id)?.(message)
      responses.delete(message.id)
    }
  })
  const call = (sessionId: string | undefined, method: string, params: object = {}) =>
    new Promise<any>((resolve) => {
      const id = ++calls
      responses.set(id, ({ result }) => resolve(result))
      socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }))
    })
  return { call, listeners, close: () => socket.close() }
}

const makePage = async (
  call: Call,
  listen: (listener: (method: string, params: any) => void) => void,
  close: () => Promise<void>
): Promise<Page> => {
  const requests: Array<string> = []
  const complaints: Array<string> = []
  const traced: Array<any> = []
  let endOfTrace: (() => void) | undefined
  /** The documents of the page in their order, by the ids of their loaders. */
  const documents: Array<string> = []
  const loaded = new Set<string>()
  const painted = new Set<string>()
  const events: Record<string, (params: any) => void> = {
    "Network.requestWillBeSent": ({ request }) => {
      if (!request.url.startsWith("data:")) requests.push(request.url)
    },
    "Log.entryAdded": ({ entry }) => {
      if (entry.level === "error") complaints.push(entry.text)
    },
    "Runtime.exceptionThrown": ({ exceptionDetails }) => complaints.push(exceptionDetails.text),
    "Page.frameNavigated": ({ frame }) => {
      if (frame.parentId === undefined) documents.push(frame.loaderId)
    },
    "Page.lifecycleEvent": ({ loaderId, name }) => {
      if (name === "load") loaded.add(loaderId)
      if (name === "firstPaint") painted.add(loaderId)
    },
    "Tracing.dataCollected": ({ value }) => traced.push(...value),
    "Tracing.tracingComplete": () => endOfTrace?.()
  }
  listen((method, params) => events[method]?.(params))

  const evaluate = async (expression: string) => {
    const response = await call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true
    })
    if (response === undefined) throw new PageLeft(expression)
    if (response.exceptionDetails) throw new Error(response.exceptionDetails.exception?.description)
    return response.result.value
  }
  /** Asks from here: where scripts are off, timers do not run in the page either. */
  const waitFor = async (holds: () => unknown, what: string) => {
    const end = Date.now() + PATIENCE_MS
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`never true: ${what}`)
      await setTimeout(25)
    }
  }
  const until = (expression: string) =>
    waitFor(
      () => evaluate(expression).catch((error: unknown) => (error instanceof PageLeft ? false : Promise.reject(error))),
      expression
    )
  /** A document may be left for the next one before it has loaded. The one before it may still report its load. */
  const isLoadedFrom = (index: number) => index >= 0 && documents.slice(index).some((each) => loaded.has(each))
  const loading = async (begin: () => Promise<unknown>, what: string) => {
    const before = documents.length
    await begin()
    await waitFor(() => isLoadedFrom(before), `the load after ${what}`)
  }

  for (const domain of ["Network", "Log", "Runtime", "Page"]) await call(`${domain}.enable`)
  await call("Page.setLifecycleEventsEnabled", { enabled: true })
  return {
    evaluate,
    until,
    goTo: async (url) => {
      const { loaderId } = await call("Page.navigate", { url })
      await waitFor(() => isLoadedFrom(documents.indexOf(loaderId)), `the load of ${url}`)
    },
    follow: (selector) =>
      loading(() => evaluate(`void document.querySelector(${JSON.stringify(selector)}).click()`), selector),
    reload: () => loading(() => call("Page.reload"), "a reload"),
    back: async () => {
      const { currentIndex, entries } = await call("Page.getNavigationHistory")
      await call("Page.navigateToHistoryEntry", { entryId: entries[currentIndex - 1].id })
    },
    type: (text) => call("Input.insertText", { text }),
    press: async (key) => {
      // Chromium drops keys before it has painted the document.
      await waitFor(() => painted.has(documents.at(-1)!), "the page is painted")
      for (const type of ["keyDown", "keyUp"]) {
        await call("Input.dispatchKeyEvent", { type, key, code: key, ...keyCodes[key] })
      }
    },
    wheel: (x, y, pixels) => call("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY: pixels }),
    trace: async (categories, run) => {
      traced.length = 0
      await call("Tracing.start", { traceConfig: { includedCategories: categories } })
      await run()
      const complete = new Promise<void>((resolve) => (endOfTrace = resolve))
      await call("Tracing.end")
      await complete
      return [...traced]
    },
    emulate: async ({ cache, language, scheme, scripts, size, slowdown }) => {
      if (size !== undefined) {
        const [width, height] = size
        await call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 })
      }
      if (scheme !== undefined) {
        const features = [{ name: "prefers-color-scheme", value: scheme }]
        await call("Emulation.setEmulatedMedia", { features })
      }
      if (scripts !== undefined) await call("Emulation.setScriptExecutionDisabled", { value: !scripts })
      if (slowdown !== undefined) await call("Emulation.setCPUThrottlingRate", { rate: slowdown })
      if (cache !== undefined) await call("Network.setCacheDisabled", { cacheDisabled: !cache })
      if (language !== undefined) {
        await call("Network.setExtraHTTPHeaders", { headers: { "Accept-Language": language } })
      }
    },
    screenshot: async () => {
      const { cssContentSize } = await call("Page.getLayoutMetrics")
      const clip = { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height, scale: 1 }
      const { data } = await call("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, clip })
      return Buffer.from(data, "base64")
    },
    requests,
    complaints,
    close
  }
}

/** Whether a hosted page of a name is shown, whole. */
export const isPage = (name: string) =>
  `document.body?.dataset.page === "${name}" && document.readyState === "complete"`

/** Starts a Chromium that keeps its profile in the folder. */
export const openBrowser = async (folder: string, { whole = false } = {}): Promise<Browser> => {
  const browser = spawn(browserProgram({ whole }), [...flags, `--user-data-dir=${folder}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  const debugging = await new Promise<string>((resolve, reject) => {
    let text = ""
    browser.once("exit", (code) => reject(new Error(`Chromium ended with ${code}: ${text}`)))
    browser.stderr.on("data", (chunk) => {
      text += chunk
      const address = /DevTools listening on (ws:\S+)/.exec(text)?.[1]
      if (address !== undefined) resolve(address)
    })
  })
  const ended = once(browser, "exit")
  const { call, close, listeners } = await connect(debugging)
  return {
    newPage: async ({ apart = false } = {}) => {
      const { browserContextId } = apart ? await call(undefined, "Target.createBrowserContext") : {}
      const target = { url: "about:blank", ...(apart && { browserContextId }) }
      const { targetId } = await call(undefined, "Target.createTarget", target)
      const { sessionId } = await call(undefined, "Target.attachToTarget", { targetId, flatten: true })
      return makePage(
        (method, params) => call(sessionId, method, params),
        (listener) => listeners.set(sessionId, listener),
        () => call(undefined, "Target.closeTarget", { targetId })
      )
    },
    close: async () => {
      // The program may be a script that starts the browser: to kill it would leave the browser behind.
      await Promise.race([call(undefined, "Browser.close").catch(() => undefined), ended])
      close()
      browser.kill()
      await ended
    }
  }
}

/** Opens a page in a Chromium of its own, which keeps its profile in the folder. */
export const openPage = async (folder: string, url: string): Promise<Page> => {
  const browser = await openBrowser(folder, { whole: true })
  const page = await browser.newPage()
  // Not `goTo`: a page may load for ever.
  await page.evaluate(`void (location.href = ${JSON.stringify(url)})`)
  return { ...page, close: browser.close }
}
