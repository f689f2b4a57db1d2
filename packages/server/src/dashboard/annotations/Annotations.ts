import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { ANNOTATIONS, ANNOTATION_DAYS, type Annotation, type AnnotationFilters } from "@edp/domain/dashboard/Annotation"
import { DeviceNotFound, SiteNotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Clock, Effect, type Schema } from "effect"
import { AlertConfigurations } from "../../alerts/AlertConfigurations.ts"
import { type Span, clockChanges, dispatchBands, inOrder } from "./annotationBands.ts"
import { type AlertBand, AnnotationsRepository, type Subject } from "./AnnotationsRepository.ts"
import { AlertSeverity } from "@edp/domain/alerts/AlertStatus"
import type { AlertRule, AlertRules } from "@edp/domain/alerts/AlertConfiguration"

const passes = (rule: AlertRule | null, value: string | null) => {
  if (rule === null) return true
  const isNamed = value !== null && (rule.values as ReadonlyArray<string>).includes(value)
  return rule.mode === "SHOW" ? isNamed : !isNamed
}

interface Ruled {
  readonly severity: (typeof AlertSeverity.literals)[number]
  readonly type: string
  readonly subtype: string | null
  readonly sourceSystem: string
}

/** Whether the lists of a workspace show an alert. */
const isShownBy =
  ({ minimumSeverity, sourceSystems, subtypes, types }: AlertRules) =>
  ({ severity, sourceSystem, subtype, type }: Ruled): boolean => {
    const mostSevereFirst = AlertSeverity.literals
    return (
      (minimumSeverity === null || mostSevereFirst.indexOf(severity) <= mostSevereFirst.indexOf(minimumSeverity)) &&
      passes(types, type) &&
      passes(subtypes, subtype) &&
      passes(sourceSystems, sourceSystem)
    )
  }

type Query = Schema.Struct.Type<typeof AnnotationFilters>

const DAY = 86_400_000

const iso = (date: Date) => date.toISOString()

const subjectBy = (workspaceId: string, { deviceId, siteId }: Query): Effect.Effect<Subject, ValidationError> => {
  if (deviceId !== undefined && siteId === undefined)
    return Effect.succeed({ kind: "device", id: deviceId, workspaceId })
  if (siteId !== undefined && deviceId === undefined) return Effect.succeed({ kind: "site", id: siteId, workspaceId })
  return Effect.fail(invalid({ deviceId: "Must be given, or else `siteId`: one of the two" }))
}

const spanBy = Effect.fnUntraced(function* (query: Query) {
  const now = yield* Clock.currentTimeMillis
  const to = query.to === undefined ? now : parseTimestamp(query.to)!
  const from = query.from === undefined ? to - DAY : parseTimestamp(query.from)!
  if (from > to) return yield* invalid({ from: "Must not be after `to`" })
  if (to - from > ANNOTATION_DAYS * DAY)
    return yield* invalid({ from: `Must be at most ${ANNOTATION_DAYS} days before \`to\`` })
  return { from, to }
})

const alertBand = ({ deviceId, from, id, severity, status, subtype, title, to, type }: AlertBand): Annotation => {
  const facts = { from: iso(from), to: to === null ? null : iso(to), deviceId, subtype, alertId: id, severity, status }
  return type === "COMMUNICATIONS"
    ? { kind: "outage", ...facts, cause: "silence" }
    : { kind: "alert", ...facts, type, title }
}

const disconnectedBand = (deviceId: string, at: Date): Annotation => ({
  kind: "outage",
  from: iso(at),
  to: null,
  deviceId,
  cause: "disconnected",
  subtype: null,
  alertId: null,
  severity: null,
  status: null
})

/** Finds what explains the charts of a device or a site. */
export const Annotations = Effect.gen(function* () {
  const repository = yield* AnnotationsRepository
  const configurations = yield* AlertConfigurations

  /** Links that have ended, of the device or of the site's devices. */
  const disconnections = Effect.fnUntraced(function* (subject: Subject, disconnectedAt: Date | null, to: number) {
    if (subject.kind === "site") {
      const rows = yield* repository.disconnected(subject.workspaceId, subject.id, to)
      return rows.map(({ at, id }) => disconnectedBand(id, at))
    }
    return disconnectedAt === null || disconnectedAt.getTime() >= to
      ? []
      : [disconnectedBand(subject.id, disconnectedAt)]
  })

  const dispatched = Effect.fnUntraced(function* (subject: Subject, siteId: string | null, span: Span) {
    if (siteId === null) return { bands: [], isTruncated: false }
    const deviceId = subject.kind === "device" ? subject.id : null
    const { isTruncated, rows } = yield* repository.dispatches(subject.workspaceId, siteId, deviceId, span)
    return { bands: rows.flatMap((row) => dispatchBands(row, span)), isTruncated }
  })

  return {
    list: Effect.fn("Annotations.list")(function* (caller: CurrentKey["Service"], query: Query) {
      const subject = yield* subjectBy(caller.workspaceId, query)
      const span = yield* spanBy(query)
      const site = yield* repository.site(subject)
      if (site === undefined) return yield* subject.kind === "site" ? new SiteNotFound({}) : new DeviceNotFound({})
      const rules = yield* configurations.readRules(caller.workspaceId)
      const alerts = yield* repository.alerts(subject, span)
      const dispatches = yield* dispatched(subject, site.siteId, span)
      const annotations = inOrder([
        ...alerts.rows.filter(isShownBy(rules)).map(alertBand),
        ...(yield* disconnections(subject, site.disconnectedAt, span.to)),
        ...dispatches.bands,
        ...clockChanges(span, site.timezone)
      ])
      return {
        from: new Date(span.from).toISOString(),
        to: new Date(span.to).toISOString(),
        timezone: site.timezone,
        isTruncated: alerts.isTruncated || dispatches.isTruncated || annotations.length > ANNOTATIONS,
        annotations: annotations.slice(-ANNOTATIONS)
      }
    })
  }
})
