import type { Alert } from "@edp/domain/alerts/Alert"

/** What a source tells of something wrong: an adapter of what its maker reports, the service of what it sees itself. */
export interface RaisedAlert {
  readonly workspaceId: string
  readonly sourceSystem: string
  /** Names the alert in the source system; without it the alert is known by what it is about. */
  readonly externalId?: string
  readonly type: Alert["type"]
  readonly subtype?: Alert["subtype"]
  readonly severity: Alert["severity"]
  readonly title: string
  readonly description?: string
  readonly deviceId?: string
  /** Where it is; the device's own site by default. */
  readonly siteId?: string
  readonly alertType?: string
  readonly providerCode?: string
  readonly providerName?: string
}

/** One alert to be raised, as often as it was. */
export interface Occurrence {
  /** The id of the alert that is made unless there is one. */
  readonly id: string
  readonly raised: RaisedAlert
  readonly times: number
}

/** Two alerts with the same one are the same alert. */
const identityOf = ({ workspaceId, sourceSystem, externalId, deviceId, siteId, type, subtype }: RaisedAlert) =>
  JSON.stringify(
    externalId === undefined
      ? [workspaceId, sourceSystem, deviceId ?? siteId ?? null, type, subtype ?? null]
      : [workspaceId, sourceSystem, externalId]
  )

/**
 * What is raised in one go, each alert once: of several that are the same, what the last says. They are in the order of
 * their identities, so that two who raise the same alerts never wait for one another crosswise.
 */
export const occurrencesOf = (alerts: ReadonlyArray<RaisedAlert>, nextId: () => string) => {
  const gathered = new Map<string, { raised: RaisedAlert; times: number }>()
  for (const raised of alerts) {
    const identity = identityOf(raised)
    const times = (gathered.get(identity)?.times ?? 0) + 1
    gathered.set(identity, { raised, times })
  }
  const occurrences = [...gathered]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([identity, { raised, times }]) => [identity, { id: nextId(), raised, times }] as const)
  const ids = new Map(occurrences.map(([identity, { id }]) => [identity, id]))
  return {
    occurrences: occurrences.map(([, occurrence]): Occurrence => occurrence),
    /** Which of the occurrences an alert that was raised became. */
    idOf: (raised: RaisedAlert) => ids.get(identityOf(raised))!
  }
}
