import { Layer } from "effect"
import * as connections from "../connections/layer.ts"
import * as customers from "../customers/layer.ts"
import * as devices from "../devices/layer.ts"
import { MailRelay } from "../platform/mail/MailRelay.ts"
import { configuredOutbound } from "../platform/outbound/OutboundRules.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import * as programs from "../programs/layer.ts"
import * as sites from "../sites/layer.ts"
import { CandidateSweep } from "./CandidateSweep.ts"
import { EmailConfirmations } from "./email/EmailConfirmations.ts"
import { EnrolledSites } from "./enrolled-sites/EnrolledSites.ts"
import { EnrollFlow } from "./flow/EnrollFlow.ts"
import { EnrollPages } from "./EnrollPages.ts"
import { EnrollmentIntake } from "./intake/EnrollmentIntake.ts"
import { EnrollmentRecords } from "./EnrollmentRecords.ts"
import { Enrollments } from "./Enrollments.ts"
import { EnrollmentsHandlers } from "./EnrollmentsHandlers.ts"

const records = EnrollmentRecords.layer.pipe(Layer.provide([devices.layer, customers.layer, EventOutbox.layer]))

const enrollments = Layer.mergeAll(Enrollments.layer, EnrollmentIntake.layer, CandidateSweep.layer).pipe(
  Layer.provide([records, customers.layer, programs.layer, sites.layer])
)

const confirmations = EmailConfirmations.layer.pipe(
  Layer.provide(customers.layer),
  Layer.provide(MailRelay.layer.pipe(Layer.provide(configuredOutbound)))
)

export const layer = Layer.mergeAll(EnrolledSites.layer, enrollments, confirmations)

export const handlers = EnrollmentsHandlers.pipe(Layer.provide(layer))

const flow = EnrollFlow.layer.pipe(
  Layer.provide([confirmations, records]),
  Layer.provide([connections.layer, customers.layer, programs.layer, sites.layer])
)

/** The routes of the hosted pages. */
export const pages = EnrollPages.layer.pipe(Layer.provide([flow, configuredOutbound]))
