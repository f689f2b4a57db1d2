import { Layer } from "effect"
import * as customers from "../customers/layer.ts"
import * as devices from "../devices/layer.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import * as programs from "../programs/layer.ts"
import * as sites from "../sites/layer.ts"
import { CandidateSweep } from "./CandidateSweep.ts"
import { EnrolledSites } from "./EnrolledSites.ts"
import { EnrolledSitesRepository } from "./EnrolledSitesRepository.ts"
import { EnrollmentIntake } from "./EnrollmentIntake.ts"
import { EnrollmentRecords } from "./EnrollmentRecords.ts"
import { Enrollments } from "./Enrollments.ts"
import { EnrollmentsHandlers } from "./EnrollmentsHandlers.ts"
import { EnrollmentsRepository } from "./EnrollmentsRepository.ts"
import { HomesRepository } from "./HomesRepository.ts"

const repositories = Layer.merge(EnrollmentsRepository.layer, HomesRepository.layer)

const records = EnrollmentRecords.layer.pipe(
  Layer.provide([HomesRepository.layer, devices.layer, customers.layer, EventOutbox.layer])
)

const enrollments = Layer.mergeAll(Enrollments.layer, EnrollmentIntake.layer, CandidateSweep.layer).pipe(
  Layer.provide([records, repositories, customers.layer, programs.layer, sites.layer])
)

export const layer = Layer.merge(EnrolledSites.layer.pipe(Layer.provide(EnrolledSitesRepository.layer)), enrollments)

export const handlers = EnrollmentsHandlers.pipe(Layer.provide(layer))
