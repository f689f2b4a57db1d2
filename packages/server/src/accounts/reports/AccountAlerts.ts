import { Context, Effect, Layer } from "effect"
import type { AdapterAlert } from "@edp/adapter-kit/Account"
import { RaisedAlerts } from "../../alerts/RaisedAlerts.ts"
import type { RaisedAlert } from "../../alerts/alertOccurrences.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { AccountRow } from "../accountRow.ts"
import { storedText } from "../devices/observedValues.ts"

type Subject = Pick<AccountRow, "id" | "workspaceId" | "manufacturer" | "siteId" | "name">

/** Problems of an account itself; there is at most one open alert of each kind. */
export type AccountProblem = "grant" | "setup" | "answers"

const longest = 300

/** Alerts of accounts and of their devices, in the name of the manufacturer. */
export class AccountAlerts extends Context.Service<
  AccountAlerts,
  {
    /** Raises what the adapter reports and settles what has ended. What is known already changes nothing. */
    readonly report: (
      account: Subject,
      alerts: ReadonlyArray<AdapterAlert>,
      deviceIds: ReadonlyMap<string, string>
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Raises the alert about a problem of the account. Joins the caller's transaction. */
    readonly raise: (
      account: Subject,
      problem: AccountProblem,
      description: string
    ) => Effect.Effect<void, DatabaseUnavailable>
    readonly settle: (
      account: Subject,
      problems: ReadonlyArray<AccountProblem>
    ) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/accounts/AccountAlerts") {
  static readonly layer = Layer.effect(
    AccountAlerts,
    Effect.gen(function* () {
      const alerts = yield* RaisedAlerts
      const adapterId = ({ id }: Subject, externalId: string) => storedText(`${id} ${externalId}`, 200)
      const ownId = ({ id }: Subject, problem: AccountProblem) => `account ${id} ${problem}`

      const toRaised = (account: Subject, alert: AdapterAlert, deviceId: string | undefined): RaisedAlert => ({
        workspaceId: account.workspaceId,
        sourceSystem: account.manufacturer,
        externalId: adapterId(account, alert.externalId),
        type: alert.type,
        ...(alert.subtype !== null && { subtype: alert.subtype }),
        severity: alert.severity,
        title: storedText(alert.title, 500),
        ...(alert.description !== null && { description: storedText(alert.description, 10_000) }),
        ...(alert.providerCode !== null && { providerCode: storedText(alert.providerCode, 255) }),
        ...(deviceId === undefined ? account.siteId !== null && { siteId: account.siteId } : { deviceId })
      })

      const report = Effect.fnUntraced(function* (
        account: Subject,
        reported: ReadonlyArray<AdapterAlert>,
        deviceIds: ReadonlyMap<string, string>
      ) {
        if (reported.length === 0) return
        const source = { workspaceId: account.workspaceId, sourceSystem: account.manufacturer }
        const found = yield* alerts.named({
          ...source,
          externalIds: reported.map(({ externalId }) => adapterId(account, externalId))
        })
        const byId = new Map(found.map((alert) => [alert.externalId, alert]))
        const raised = reported
          .filter(({ resolved }) => !resolved)
          .map((alert) => toRaised(account, alert, deviceIds.get(alert.manufacturerDeviceId ?? "")))
          .filter((alert) => {
            const known = byId.get(alert.externalId!)
            return (
              known === undefined ||
              known.severity !== alert.severity ||
              known.title !== alert.title ||
              known.description !== (alert.description ?? null)
            )
          })
        yield* alerts.raise(raised)
        const over = reported
          .filter(({ resolved }) => resolved)
          .map(({ externalId }) => adapterId(account, externalId))
          .filter((id) => byId.has(id))
        yield* alerts.settleNamed({ ...source, externalIds: over }, account.manufacturer)
      })

      return {
        report: Effect.fn("AccountAlerts.report")(report),
        raise: (account, problem, description) => {
          const { siteId, workspaceId, manufacturer: sourceSystem } = account
          return Effect.asVoid(
            alerts.raise([
              {
                workspaceId,
                sourceSystem,
                externalId: ownId(account, problem),
                type: problem === "answers" ? "SOFTWARE_PROCESS" : "CONFIGURATION",
                severity: "WARNING",
                title: titles[problem](storedText(account.name, longest)),
                description: storedText(description, 10_000),
                ...(siteId !== null && { siteId })
              }
            ])
          )
        },
        settle: (account, problems) =>
          Effect.asVoid(
            alerts.settleNamed(
              {
                workspaceId: account.workspaceId,
                sourceSystem: account.manufacturer,
                externalIds: problems.map((problem) => ownId(account, problem))
              },
              account.manufacturer
            )
          )
      }
    })
  )
}

const titles: Readonly<Record<AccountProblem, (name: string) => string>> = {
  grant: (name) => `The account ${name} needs a new sign-in`,
  setup: (name) => `The account ${name} cannot be read as it is set up`,
  answers: (name) => `Some values of the account ${name} are not understood`
}
