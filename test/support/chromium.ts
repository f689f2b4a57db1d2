import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"

/** Whether there is a Chromium to run. */
export const hasChromium = () => {
  try {
    execFileSync("chromium", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: any
  readonly params?: any
}

export interface Page {
  /** The value of an expression in the page, which counts as a person's act; a promise is awaited. */
  readonly evaluate: (expression: string) => Promise<any>
  /** Waits until an expression in the page is true. */
  readonly until: (expression: string) => Promise<void>
  /** Types into the focused element. */
  readonly type: (text: string) => Promise<void>
  /** Presses a key, such as `Escape`. */
  readonly press: (key: string) => Promise<void>
  /** Addresses of all requests so far, without those of `data:`. */
  readonly requests: ReadonlyArray<string>
  /** Errors and violated policies of the console. */
  readonly complaints: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/** The page was left for another one while an expression was evaluated in it. */
class PageLeft extends Error {}

/** Milliseconds after which a condition that is still false fails a test. */
const PATIENCE_MS = 60_000

const flags = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--remote-debugging-port=0"
]

/** Opens a page in a Chromium of its own, which keeps its profile in the folder. */
export const openPage = async (folder: string, url: string): Promise<Page> => {
  const browser = spawn("chromium", [...flags, `--user-data-dir=${folder}`, "about:blank"], {
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
  const targets = (await (await fetch(`http://${new URL(debugging).host}/json/list`)).json()) as ReadonlyArray<any>
  const socket = new WebSocket(targets.find(({ type }) => type === "page").webSocketDebuggerUrl)
  await once(socket, "open")

  const requests: Array<string> = []
  const complaints: Array<string> = []
  const answers = new Map<number, (message: Message) => void>()
  const events: Record<string, (params: any) => void> = {
    "Network.requestWillBeSent": ({ request }) => {
      if (!request.url.startsWith("data:")) requests.push(request.url)
    },
    "Log.entryAdded": ({ entry }) => {
      if (entry.level === "error") complaints.push(entry.text)
    },
    "Runtime.exceptionThrown": ({ exceptionDetails }) => complaints.push(exceptionDetails.text)
  }
  socket.addEventListener("message", ({ data }) => {
    const message: Message = JSON.parse(data)
    if (message.id === undefined) events[message.method!]?.(message.params)
    else answers.get(message.id)?.(message)
  })
  let calls = 0
  const call = (method: string, params: object = {}) =>
    new Promise<any>((resolve) => {
      const id = ++calls
      answers.set(id, ({ result }) => resolve(result))
      socket.send(JSON.stringify({ id, method, params }))
    })
  const evaluate = async (expression: string) => {
    const answer = await call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true
    })
    if (answer === undefined) throw new PageLeft()
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description)
    return answer.result.value
  }

  for (const domain of ["Network", "Log", "Runtime", "Page"]) await call(`${domain}.enable`)
  await call("Page.navigate", { url })
  return {
    evaluate,
    until: async (expression) => {
      const end = Date.now() + PATIENCE_MS
      const wait = (): Promise<void> =>
        evaluate(
          `new Promise((done, fail) => {
            const look = () => { if (${expression}) done(); else if (Date.now() > ${end}) fail(new Error("never true")); else setTimeout(look, 50) }
            look()
          })`
        ).catch((error: unknown) => (error instanceof PageLeft ? wait() : Promise.reject(error)))
      await wait()
    },
    type: (text) => call("Input.insertText", { text }),
    press: async (key) => {
      for (const type of ["keyDown", "keyUp"]) await call("Input.dispatchKeyEvent", { type, key, code: key })
    },
    requests,
    complaints,
    close: async () => {
      socket.close()
      browser.kill()
      await once(browser, "exit")
    }
  }
}
