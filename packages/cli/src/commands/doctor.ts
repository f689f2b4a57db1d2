import { verb } from "../kernel/verb.ts"
import { Effect, Result } from "effect"
import { CliFailure } from "../kernel/CliFailure.ts"
import { Connection } from "../kernel/Connection.ts"
import { Output } from "../kernel/Output.ts"
import type { Profile } from "../kernel/Profile.ts"
import { type Column, renderCsv } from "../kernel/table.ts"
import { VERSION } from "../kernel/environment.ts"
import { type Check, checkFiles, checkNode, failed } from "./doctor/machine.ts"
import { checkKeys, checkReadings, checkService } from "./doctor/service.ts"

const marks = { ok: "✓", warning: "!", failed: "✗" } as const

const render = (checks: ReadonlyArray<Check>) =>
  checks
    .flatMap(({ advice, message, name, status }) => [
      `${marks[status]} ${name}: ${message}`,
      ...(advice === undefined ? [] : [`    → ${advice}`])
    ])
    .join("\n")

const checkProfile = Effect.fnUntraced(function* (profile: Profile, version: string) {
  const service = yield* checkService(profile.baseUrl, version)
  const responses = service.some(({ name, status }) => name === "service" && status === "ok")
  const behindKeys = responses ? [...(yield* checkKeys(profile)), ...(yield* checkReadings(profile))] : []
  return [...(yield* checkFiles(profile)), ...service, ...behindKeys]
})

const columns: ReadonlyArray<Column<Check>> = [
  { title: "CHECK", value: ({ name }) => name },
  { title: "STATUS", value: ({ status }) => status },
  { title: "MESSAGE", value: ({ message }) => message },
  { title: "ADVICE", value: ({ advice }) => advice }
]

export const doctor = verb(
  "doctor",
  "Check the service, keys, clocks and files, and advise",
  {},
  Effect.fnUntraced(function* () {
    const output = yield* Output
    const profile = yield* Effect.result((yield* Connection).profile)
    const checks = [
      checkNode(process.versions.node),
      ...(Result.isSuccess(profile)
        ? yield* checkProfile(profile.success, VERSION)
        : [
            failed(
              "credentials",
              profile.failure.message,
              profile.failure.details?.join(" ") ?? "Correct the settings."
            )
          ])
    ]
    yield* output.show(
      { checks },
      () => render(checks),
      () => renderCsv(columns, checks)
    )
    const failures = checks.filter(({ status }) => status === "failed").length
    if (failures > 0) {
      return yield* new CliFailure({ code: "UNHEALTHY", message: `${failures} of ${checks.length} checks failed` })
    }
  })
)
