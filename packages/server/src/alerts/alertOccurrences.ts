import type { Alert } from "@edp/domain/alerts/Alert"

/** A problem that a source reports: an adapter for its manufacturer, or the platform itself. */
export interface RaisedAlert {
  readonly workspaceId: string
  readonly sourceSystem: string
  /** Id of the alert in the source system; without one, equal alerts are recognised by their subject. */
  readonly externalId?: string
  readonly type: Alert["type"]
  readonly subtype?: Alert["subtype"]
  readonly severity: Alert["severity"]
  readonly title: string
  readonly description?: string
  readonly deviceId?: string
  /** Default: the site of the device. */
  readonly siteId?: string
  readonly alertType?: string
  readonly providerCode?: string
  readonly providerName?: string
}

/** One alert to raise, with the number of its occurrences. */
export interface Occurrence {
  /** The id that the alert gets when it is new. */
  readonly id: string
  readonly raised: RaisedAlert
  readonly times: number
}

/** Alerts with equal identities are one alert. */
const identityKey = ({ workspaceId, sourceSystem, externalId, deviceId, siteId, type, subtype }: RaisedAlert) =>
  JSON.stringify(
    externalId === undefined
      ? [workspaceId, sourceSystem, deviceId ?? siteId ?? null, type, subtype ?? null]
      : [workspaceId, sourceSystem, externalId]
  )

/**
 * Merges equal alerts; the last one's fields win. Sorted by identity, so that concurrent callers lock rows in the same
 * order and don't deadlock.
 */
export const groupOccurrences = (alerts: ReadonlyArray<RaisedAlert>, nextId: () => string) => {
  const gathered = new Map<string, { raised: RaisedAlert; times: number }>()
  for (const raised of alerts) {
    const identity = identityKey(raised)
    const times = (gathered.get(identity)?.times ?? 0) + 1
    gathered.set(identity, { raised, times })
  }
  const occurrences = [...gathered]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([identity, { raised, times }]) => [identity, { id: nextId(), raised, times }] as const)
  const ids = new Map(occurrences.map(([identity, { id }]) => [identity, id]))
  return {
    occurrences: occurrences.map(([, occurrence]): Occurrence => occurrence),
    /** The id of the occurrence that an alert was merged into. */
    findId: (raised: RaisedAlert) => ids.get(identityKey(raised))!
  }
}
