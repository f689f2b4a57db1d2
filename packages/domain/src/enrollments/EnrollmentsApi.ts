import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { WritesNothing, describe, workspaceKeys } from "../auth/annotations.ts"
import { RateClassOf } from "../auth/middleware.ts"
import {
  CustomerNotConnectedToSite,
  CustomerNotFound,
  InvalidLocation,
  InvalidState,
  InvalidStatus,
  LocationServiceError,
  NotFound,
  SiteNotFound,
  SiteNotInWorkspace,
  ValidationError
} from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import {
  CheckEligibility,
  CreateEnrollment,
  CreateEnrollments,
  Eligibility,
  Enrollment,
  EnrollmentFilters,
  EnrollmentTransition,
  EnrollmentsCreated,
  SubmitEnrollment
} from "./Enrollment.ts"

const params = { id: PathId }

const personErrors = [
  ValidationError,
  NotFound,
  CustomerNotFound,
  SiteNotFound,
  SiteNotInWorkspace,
  CustomerNotConnectedToSite
] as const

const transition = <const Name extends "approve" | "reject" | "unenroll">(
  name: Name,
  summary: string,
  description: string
) =>
  HttpApiEndpoint.post(name, `/v1/enrollments/:id/${name}`, {
    params,
    payload: EnrollmentTransition,
    success: Enrollment,
    error: [ValidationError, NotFound, InvalidStatus]
  }).annotateMerge(describe(workspaceKeys, summary, description))

export class EnrollmentsApi extends HttpApiGroup.make("enrollments")
  .add(
    HttpApiEndpoint.get("list", "/v1/programInstances/:id/enrollments", {
      params,
      query: EnrollmentFilters,
      success: Page(Enrollment),
      error: [ValidationError, NotFound]
    }).annotateMerge(describe(workspaceKeys, "List enrollments", "Enrollments of the instance, newest first.")),
    HttpApiEndpoint.post("create", "/v1/programInstances/:id/enrollments", {
      params,
      payload: CreateEnrollment,
      success: Enrollment.pipe(HttpApiSchema.status(201)),
      error: [...personErrors, InvalidState, InvalidLocation, LocationServiceError]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Enroll a customer",
        "Eligibility is judged at once by the program's states and criteria. An eligible enrollment is submitted unless `submit` is false. A person who is ineligible gets an enrollment with status `ineligible` and a reason. One whose address or devices are not known yet stays a candidate, and is judged again when a device is connected or it is submitted. A second live enrollment of a customer in the instance is INVALID_STATE, and so is an instance or a program that takes none."
      )
    ),
    HttpApiEndpoint.post("createMany", "/v1/programInstances/:id/enrollments/bulk", {
      params,
      payload: CreateEnrollments,
      success: EnrollmentsCreated,
      error: [ValidationError, NotFound]
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(
        describe(
          workspaceKeys,
          "Enroll many customers",
          "Creates up to 500 enrollments, each on its own: an invalid item does not affect the others. Of several items for one customer the first is taken, and the others are INVALID_STATE. Counts in the bulk class of the rate limits."
        )
      ),
    HttpApiEndpoint.post("checkEligibility", "/v1/programInstances/:id/eligibility", {
      params,
      payload: CheckEligibility,
      success: Eligibility,
      error: [...personErrors]
    })
      .annotate(WritesNothing, true)
      .annotateMerge(
        describe(
          workspaceKeys,
          "Check eligibility",
          "A dry run of an enrollment: judges the person by the program's states and criteria and stores nothing."
        )
      ),
    HttpApiEndpoint.get("get", "/v1/enrollments/:id", {
      params,
      success: Enrollment,
      error: NotFound
    }).annotateMerge(describe(workspaceKeys, "Get an enrollment", "Returns an enrollment of the workspace.")),
    HttpApiEndpoint.delete("remove", "/v1/enrollments/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: [NotFound, InvalidState]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Delete an enrollment",
        "Removes the record. An approved enrollment is INVALID_STATE: unenroll it first."
      )
    ),
    HttpApiEndpoint.post("submit", "/v1/enrollments/:id/submit", {
      params,
      payload: SubmitEnrollment,
      success: Enrollment,
      error: [ValidationError, NotFound, InvalidState, InvalidStatus]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Submit an enrollment",
        "Judges it again and submits it, with the terms that the person has accepted meanwhile. Only a candidate or an eligible enrollment can be submitted: another status is INVALID_STATUS. One that is not eligible is INVALID_STATE, whose message gives the reason, and keeps its status; so does one of an instance that takes no enrollments."
      )
    ),
    transition(
      "approve",
      "Approve an enrollment",
      "Only a submitted enrollment can be approved: another status is INVALID_STATUS."
    ),
    transition(
      "reject",
      "Reject an enrollment",
      "Only a submitted enrollment can be rejected: another status is INVALID_STATUS."
    ),
    transition(
      "unenroll",
      "End an enrollment",
      "Only an approved enrollment can be ended: another status is INVALID_STATUS. It takes part in no further dispatch, and its devices in running ones get their settings back."
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Enrollments",
      description:
        "The participation of customers in program instances. candidate → eligible or ineligible → submitted → approved or rejected; approved → unenrolled. Every other transition is INVALID_STATUS. ENROLLMENT_SUBMITTED, ENROLLMENT_APPROVED and ENROLLMENT_REJECTED tell of the transitions."
    })
  ) {}
