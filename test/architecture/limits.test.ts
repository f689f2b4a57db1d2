import { accountLimits } from "@edp/server/accounts/accountLimits"
import { silenceLimits } from "@edp/server/alerts/silenceLimits"
import { commandLimits } from "@edp/server/commands/commandLimits"
import { deliveryLimits } from "@edp/server/destinations/delivery/deliveryLimits"
import { dispatchLimits } from "@edp/server/dispatches/dispatchLimits"
import { candidateLimits } from "@edp/server/enrollments/candidateLimits"
import { mailLimits } from "@edp/server/enrollments/email/mailLimits"
import { rollupLimits } from "@edp/server/metrics/rollupLimits"
import { scheduleLimits } from "@edp/server/schedules/scheduleLimits"
import { gridLimits } from "@edp/server/grid/gridLimits"
import { gridNotificationLimits } from "@edp/server/grid/notifications/notificationLimits"
import { siteResourceLimits } from "@edp/server/vtn/enrolled-sites/siteResourceLimits"
import { brokerLimits } from "@edp/server/vtn/notifications/brokerLimits"
import { notificationLimits } from "@edp/server/vtn/notifications/notificationLimits"
import { objectLimits } from "@edp/server/vtn/objects/objectLimits"
import { expect, test } from "vitest"
import { readText } from "./repository.ts"

const runners: ReadonlyArray<readonly [name: string, limits: Readonly<Record<string, number>>]> = [
  ["deliveries", deliveryLimits],
  ["commands", commandLimits],
  ["accounts", accountLimits],
  ["schedules", scheduleLimits],
  ["dispatches", dispatchLimits],
  ["rollups", rollupLimits],
  ["enrollment mails", mailLimits],
  ["candidates", candidateLimits],
  ["silence", silenceLimits],
  ["grid", gridLimits],
  ["notifications", notificationLimits],
  ["site resources", siteResourceLimits],
  ["notification broker", brokerLimits],
  ["openadr objects", objectLimits],
  ["grid notifications", gridNotificationLimits]
]

const section = /### Limits of the runners\n([^]*?)\n## /.exec(readText("docs/operations.md"))?.[1] ?? ""

const rows = [...section.matchAll(/^\| ([a-z ]+) \| `(\w+)` \| (\d+) \| ([^|]+) \| [^|]+ \|$/gm)].map(
  ([, runner, limit, value, unit]) => ({ runner: runner!, limit: limit!, value: Number(value), unit: unit! })
)

test.for(runners)("docs/operations.md lists each limit of %s with its value", ([name, limits]) => {
  const listed = rows.filter(({ runner }) => runner === name).map(({ limit, value }) => [limit, value] as const)
  expect(listed).toEqual(Object.entries(limits))
})

test("docs/operations.md lists no limit of another runner", () => {
  expect(new Set(rows.map(({ runner }) => runner))).toEqual(new Set(runners.map(([name]) => name)))
})

test("the unit of each limit of time is the one that its name ends with", () => {
  const toUnit = (limit: string) => (limit.endsWith("Ms") ? "ms" : limit.endsWith("Seconds") ? "s" : undefined)
  expect(rows.filter(({ limit, unit }) => (toUnit(limit) ?? unit) !== unit)).toEqual([])
  expect(rows.filter(({ limit, unit }) => ["ms", "s"].includes(unit) && toUnit(limit) === undefined)).toEqual([])
})
