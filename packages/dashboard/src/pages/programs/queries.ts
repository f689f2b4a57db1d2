import { withConventions } from "@edp/domain/auth/middleware"
import type { ProgramInstanceStatus } from "@edp/domain/programs/ProgramInstance"
import { ProgramInstancesApi } from "@edp/domain/programs/ProgramInstancesApi"
import { ProgramsApi } from "@edp/domain/programs/ProgramsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"
import { dependingOn } from "../../api/reactivity.ts"
import { readAll } from "../../api/readAll.ts"

const api = withConventions(HttpApi.make("programs").add(ProgramsApi, ProgramInstancesApi))

export class ProgramsClient extends AtomHttpApi.Service<ProgramsClient>()("ProgramsClient", { api, ...pageClient }) {}

export const instancesQuery = (page: number, status: ProgramInstanceStatus | undefined) =>
  ProgramsClient.query("programInstances", "list", {
    query: { page, perPage: 25, ...(status !== undefined && { status: [status] }) },
    reactivityKeys: keys("programInstances")
  })

export const programsQuery = (page: number) =>
  ProgramsClient.query("programs", "list", { query: { page, perPage: 25 }, reactivityKeys: keys("programs") })

/** The programs to choose from. */
export const allProgramsQuery = ProgramsClient.runtime
  .atom(ProgramsClient.use((client) => readAll((query) => client.programs.list({ query }))))
  .pipe(dependingOn(keys("programs")))
