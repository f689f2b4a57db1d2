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
import { EmailConfirmationsRepository } from "./email/EmailConfirmationsRepository.ts"
import { EnrolledSites } from "./enrolled-sites/EnrolledSites.ts"
import { EnrolledSitesRepository } from "./enrolled-sites/EnrolledSitesRepository.ts"
import { EnrollFlow } from "./flow/EnrollFlow.ts"
import { EnrollPages } from "./EnrollPages.ts"
import { EnrollPagesRepository } from "./flow/EnrollPagesRepository.ts"
import { EnrollViews } from "./flow/EnrollViews.ts"
import { EnrollmentIntake } from "./intake/EnrollmentIntake.ts"
import { EnrollmentRecords } from "./EnrollmentRecords.ts"
import { Enrollments } from "./Enrollments.ts"
import { EnrollmentsHandlers } from "./EnrollmentsHandlers.ts"
import { EnrollmentsRepository } from "./EnrollmentsRepository.ts"
import { EnrollmentSitesRepository } from "./EnrollmentSitesRepository.ts"
import { PublicEnrollments } from "./flow/PublicEnrollments.ts"

const repositories = Layer.merge(EnrollmentsRepository.layer, EnrollmentSitesRepository.layer)

const records = EnrollmentRecords.layer.pipe(
  Layer.provide([EnrollmentSitesRepository.layer, devices.layer, customers.layer, EventOutbox.layer])
)

const enrollments = Layer.mergeAll(Enrollments.layer, EnrollmentIntake.layer, CandidateSweep.layer).pipe(
  Layer.provide([records, repositories, customers.layer, programs.layer, sites.layer])
)

const confirmations = EmailConfirmations.layer.pipe(
  Layer.provide([EmailConfirmationsRepository.layer, repositories, customers.layer]),
  Layer.provide(MailRelay.layer.pipe(Layer.provide(configuredOutbound)))
)

const enrolledSites = EnrolledSites.layer.pipe(Layer.provide(EnrolledSitesRepository.layer))

export const layer = Layer.mergeAll(enrolledSites, enrollments, confirmations)

export const handlers = EnrollmentsHandlers.pipe(Layer.provide(layer))

const flow = EnrollFlow.layer.pipe(
  Layer.provide([EnrollViews.layer, PublicEnrollments.layer]),
  Layer.provide([confirmations, records, repositories, EnrollPagesRepository.layer]),
  Layer.provide([connections.layer, customers.layer, programs.layer, sites.layer])
)

/** The routes of the hosted pages. */
export const pages = EnrollPages.layer.pipe(Layer.provide([flow, configuredOutbound]))
