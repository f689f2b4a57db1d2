import { withConventions } from "@edp/domain/auth/middleware"
import type { EnrollmentStatus } from "@edp/domain/enrollments/Enrollment"
import { EnrollmentsApi } from "@edp/domain/enrollments/EnrollmentsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("enrollments").add(EnrollmentsApi))

export class EnrollmentsClient extends AtomHttpApi.Service<EnrollmentsClient>()("EnrollmentsClient", {
  api,
  ...pageClient
}) {}

/** The queries that a decision about enrollments changes. */
export const enrollmentsChanged = ["enrollments"]

interface EnrollmentSearch {
  readonly page?: number | undefined
  readonly status?: EnrollmentStatus | undefined
}

export const enrollmentsQuery = (instanceId: string, { page = 1, status }: EnrollmentSearch) =>
  EnrollmentsClient.query("enrollments", "list", {
    params: { id: instanceId },
    query: given({ page, perPage: 25, status: listed(status) }),
    reactivityKeys: keys("enrollments")
  })

export const customerEnrollmentsQuery = (instanceId: string, customerId: string) =>
  EnrollmentsClient.query("enrollments", "list", {
    params: { id: instanceId },
    query: { perPage: 100, customerId: [customerId] },
    reactivityKeys: keys("enrollments", `customer:${customerId}`)
  })
