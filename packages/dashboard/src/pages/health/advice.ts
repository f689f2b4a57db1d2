import type { Messages } from "../../i18n/messages.ts"
import type { SystemHealth } from "@edp/domain/dashboard/SystemHealth"
import type { Language } from "@edp/domain/shared/Language"
import { formatQuantity, formatShare } from "../../i18n/format.ts"

/** Work waits for longer only if something is wrong: a run every few seconds takes all that is due. */
const LATE_SECONDS = 120

/** Rows of these wait by design: rollups for the end of a quarter of an hour, deliveries for a receiver that is away. */
const patient: ReadonlySet<string> = new Set(["energy_rollups", "deliveries"])
const PATIENT_SECONDS = 3600

const SLOW_PING = 250
const FULL = 0.9

/** Something that is wrong, and the next step. */
export interface Advice {
  readonly id: string
  readonly state: "bad" | "warn"
  readonly text: string
  /** A page of this or another workspace, which opens anew. */
  readonly link?: { readonly href: string; readonly label: string }
}

/** An address within a workspace. */
export const inWorkspace = (path: string, workspaceId: string, more: Readonly<Record<string, string>> = {}) =>
  `${path}?${new URLSearchParams({ workspace: workspaceId, ...more })}`

type Account = NonNullable<SystemHealth["accounts"]["value"]>["items"][number]

/** The account on the page of connections, among those of its status and manufacturer. */
export const accountLink = ({ id, manufacturer, trouble, workspaceId }: Account) =>
  inWorkspace("/dashboard/connections", workspaceId, {
    status: trouble === "sign_in_needed" ? "failed" : "connected",
    manufacturer,
    account: id
  })

/** How long something has waited, in the largest unit that fits. */
export const waited = (language: Language, seconds: number): string => {
  const [unit, length] =
    seconds >= 172_800
      ? (["day", 86_400] as const)
      : seconds >= 7200
        ? (["hour", 3600] as const)
        : seconds >= 120
          ? (["minute", 60] as const)
          : (["second", 1] as const)
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 }).format(
    seconds / length
  )
}

const aboutInstances = ({ instances }: SystemHealth, t: Messages["health"]): ReadonlyArray<Advice> => {
  if (instances.value === null) return []
  const live = instances.value.filter(({ isSilent }) => !isSilent)
  const versions = [...new Set(live.map(({ version }) => version))]
  return [
    ...instances.value
      .filter(({ isSilent }) => isSilent)
      .map(({ hostName, id, pid }) => ({
        id,
        state: "warn" as const,
        text: t.silentInstance({ host: hostName, pid })
      })),
    ...(versions.length > 1
      ? [
          {
            id: "versions",
            state: "warn" as const,
            text: t.mixedVersions({ versions: versions.toSorted().join(", ") })
          }
        ]
      : []),
    ...(live.some(({ role }) => role !== "api") ? [] : [{ id: "worker", state: "bad" as const, text: t.noWorker }])
  ]
}

const aboutWork = (
  { destinations, work }: SystemHealth,
  t: Messages["health"],
  language: Language
): ReadonlyArray<Advice> => {
  // Then the deliveries wait for a receiver, which has advice of its own.
  const isExplained = (destinations.value?.failing ?? 0) > 0
  return (work.value ?? [])
    .filter(({ task }) => !(task === "deliveries" && isExplained))
    .filter(({ oldestSeconds, task }) => (oldestSeconds ?? 0) > (patient.has(task) ? PATIENT_SECONDS : LATE_SECONDS))
    .map(({ oldestSeconds, task }) => ({
      id: task,
      state: "warn" as const,
      text: t.late({ task: t.tasks[task], age: waited(language, oldestSeconds ?? 0) })
    }))
}

const aboutDestinations = ({ destinations }: SystemHealth, t: Messages["health"]): ReadonlyArray<Advice> =>
  (destinations.value?.items ?? [])
    .filter(({ deactivatedAt, failingSince }) => deactivatedAt !== null || failingSince !== null)
    .map(({ deactivatedAt, destinationType, id, label, waiting, workspaceId }) => ({
      id,
      state: deactivatedAt === null ? ("bad" as const) : ("warn" as const),
      text:
        deactivatedAt === null
          ? t.destinationFails({ name: label ?? destinationType, waiting })
          : t.destinationOff({ name: label ?? destinationType }),
      link: { href: inWorkspace(`/dashboard/destinations/${id}`, workspaceId), label: t.openDestination }
    }))

const aboutAccounts = ({ accounts }: SystemHealth, t: Messages["health"]): ReadonlyArray<Advice> =>
  (accounts.value?.items ?? [])
    .filter(({ trouble }) => trouble !== "call_failed" && trouble !== "refresh_overdue")
    .map((account) => ({
      id: account.id,
      state: account.trouble === "expires_soon" ? ("warn" as const) : ("bad" as const),
      text: t.accountFails({ name: account.name, trouble: t.troubles[account.trouble] }),
      link: { href: accountLink(account), label: t.reconnect }
    }))

const aboutQuotas = ({ quotas }: SystemHealth, t: Messages["health"], language: Language): ReadonlyArray<Advice> =>
  (quotas.value ?? [])
    .filter(({ limit, used }) => used >= limit * FULL)
    .map(({ accountId, accountName, limit, manufacturer, used, window }) => ({
      id: `${manufacturer} ${accountId} ${window}`,
      state: "warn" as const,
      text: t.quotaFull({ name: accountName ?? manufacturer, share: formatShare(language, used / limit) })
    }))

const aboutDatabase = (health: SystemHealth, t: Messages["health"], language: Language): ReadonlyArray<Advice> => {
  const { database, partitions, redis } = health
  const found: Array<Advice> = []
  if (database.value !== null) {
    const { connections, migrations, pingMilliseconds } = database.value
    if (migrations.applied > migrations.known) found.push({ id: "newer", state: "bad", text: t.newerDatabase })
    if (pingMilliseconds > SLOW_PING) {
      found.push({
        id: "ping",
        state: "warn",
        text: t.slowDatabase({ ping: formatQuantity(language, pingMilliseconds, "ms") })
      })
    }
    if (connections !== null && connections.waiting >= connections.most) {
      found.push({ id: "pool", state: "warn", text: t.databaseFull })
    }
  }
  for (const { nextExists, table } of partitions.value ?? []) {
    if (!nextExists)
      found.push({ id: `${table} partition`, state: "bad", text: t.nextMissing({ table: t.tables[table] }) })
  }
  if (redis.value?.state === "unreachable") found.push({ id: "redis", state: "warn", text: t.redisAway })
  return found
}

/** The problems of the deployment, the gravest first, each with the next step. */
export const adviceFor = (health: SystemHealth, t: Messages["health"], language: Language): ReadonlyArray<Advice> =>
  [
    ...aboutInstances(health, t),
    ...aboutDatabase(health, t, language),
    ...aboutWork(health, t, language),
    ...aboutDestinations(health, t),
    ...aboutAccounts(health, t),
    ...aboutQuotas(health, t, language)
  ].toSorted((a, b) => Number(b.state === "bad") - Number(a.state === "bad"))
