import type { DashboardLink } from "@edp/domain/dashboard/Session"
import { Effect, Stdio } from "effect"
import { Command, Flag } from "effect/cli"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { request } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { verb } from "../kernel/verb.ts"

/** Opens the address in the default browser, which goes on without this process. Without a browser nothing happens. */
const openBrowser = (url: string) =>
  Effect.gen(function* () {
    const { spawn } = yield* ChildProcessSpawner.ChildProcessSpawner
    const program = process.platform === "darwin" ? "open" : "xdg-open"
    const stdio = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const
    const browser = yield* spawn(ChildProcess.make(program, [url], { ...stdio, detached: true }))
    yield* browser.unref
  }).pipe(Effect.scoped, Effect.ignore)

const fields = ({ expiresAt, url }: DashboardLink) =>
  [
    ["link", url],
    ["works once until", expiresAt]
  ] as const

const open = verb(
  "dashboard open",
  "Sign in to the dashboard: print a link that works once, and open it on a terminal",
  {
    print: Flag.Boolean("print").pipe(
      Flag.withDescription("Print the link and open no browser"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ print }) {
    const link = yield* showRecord(request("sessions", "createLink", {}), fields)
    const { json } = yield* Output
    if (!print && !json && (yield* (yield* Stdio.Stdio).stdoutIsTerminal)) yield* openBrowser(link.url)
  }),
  ["edp dashboard open", "edp dashboard open --print"]
)

export const dashboard = Command.make("dashboard").pipe(
  Command.withDescription("The operators' web page"),
  Command.withSubcommands([open])
)
