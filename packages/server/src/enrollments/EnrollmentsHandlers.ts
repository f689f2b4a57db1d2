import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { EnrollmentIntake } from "./intake/EnrollmentIntake.ts"
import { Enrollments } from "./Enrollments.ts"

export const EnrollmentsHandlers = groupHandlers(
  Api,
  "enrollments",
  Effect.fn(function* (handlers) {
    const enrollments = yield* Enrollments
    const intake = yield* EnrollmentIntake
    return handlers.handleAll({
      list: ({ params, query }) => Effect.flatMap(CurrentKey, (caller) => enrollments.list(caller, params.id, query)),
      create: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => intake.create(caller, params.id, payload)),
      createMany: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => intake.createMany(caller, params.id, payload)),
      checkEligibility: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => intake.check(caller, params.id, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => enrollments.get(caller, params.id)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => enrollments.remove(caller, params.id)),
      submit: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => enrollments.submit(caller, params.id, payload)),
      approve: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => enrollments.approve(caller, params.id, payload)),
      reject: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => enrollments.reject(caller, params.id, payload)),
      unenroll: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => enrollments.unenroll(caller, params.id, payload))
    })
  })
)
