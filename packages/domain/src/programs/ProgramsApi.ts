import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { DuplicateName, Forbidden, InvalidCriteria, NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathSlug } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { CreateProgram, Program, ProgramFilters, UpdateProgram } from "./Program.ts"

const readers = ["SERVER", "API", "MANAGEMENT"] as const
const params = { slug: PathSlug }

export class ProgramsApi extends HttpApiGroup.make("programs")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: ProgramFilters,
      success: Page(Program),
      error: ValidationError
    }).annotateMerge(
      describe(readers, "List programs", "Public programs and those of the key's organization, newest first.")
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: CreateProgram,
      success: Program.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, InvalidCriteria, DuplicateName]
    }).annotateMerge(
      describe(["MANAGEMENT"], "Create a program", "The program belongs to the organization of the key.")
    ),
    HttpApiEndpoint.get("get", "/:slug", {
      params,
      success: Program,
      error: NotFound
    }).annotateMerge(describe(readers, "Get a program", "A private program of another organization is NOT_FOUND.")),
    HttpApiEndpoint.patch("update", "/:slug", {
      params,
      payload: UpdateProgram,
      success: Program,
      error: [ValidationError, InvalidCriteria, NotFound, Forbidden]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Update a program",
        "An absent field is unchanged; `states` and `eligibility` are replaced as a whole. Only the organization that owns the program may change it. Enrollments keep the status that they have."
      )
    )
  )
  .prefix("/v1/programs")
  .annotateMerge(
    OpenApi.annotations({
      title: "Programs",
      description:
        "Energy programs, such as those of a utility: the states and the devices that they take. A workspace runs a program as a program instance."
    })
  ) {}
