import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NeedsBody, describe } from "../auth/annotations.ts"
import { AnswersSecret, RequestBody, ServiceErrors } from "../auth/middleware.ts"
import { Forbidden, NotFound, RateLimited, Unauthenticated, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page, paging } from "../shared/Page.ts"
import { DashboardLink, DashboardSession, SIGN_IN_PATH, Session, SignIn } from "./Session.ts"

const management = ["MANAGEMENT"] as const

/** Signing in, for which there is no session yet: the only endpoint without authentication. */
export class SignInApi extends HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.post("signIn", SIGN_IN_PATH, {
      payload: SignIn,
      success: Session,
      error: [ValidationError, Unauthenticated, Forbidden, RateLimited]
    })
      .annotate(NeedsBody, true)
      .annotateMerge(
        describe(
          [],
          "Sign in",
          "Starts a session by the token of a link or by a MANAGEMENT key and sets its cookie. A session of the browser ends. A wrong, used or expired token and a wrong key are UNAUTHENTICATED; pages of other sites may not sign in: FORBIDDEN."
        )
      )
  )
  .middleware(RequestBody)
  .middleware(ServiceErrors) {}

export class SessionsApi extends HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.get("current", "/dashboard/api/session", { success: Session, error: NotFound }).annotateMerge(
      describe(management, "Get the session", "The session of the browser. A request with a key has none: NOT_FOUND.")
    ),
    HttpApiEndpoint.delete("signOut", "/dashboard/api/session", {
      success: HttpApiSchema.NoContent,
      error: NotFound
    }).annotateMerge(describe(management, "Sign out", "Ends the session and clears its cookie.")),
    HttpApiEndpoint.get("list", "/dashboard/api/sessions", {
      query: paging(),
      success: Page(DashboardSession),
      error: ValidationError
    }).annotateMerge(
      describe(
        management,
        "List sessions",
        "The sessions of the organization's keys that have not ended, newest first."
      )
    ),
    HttpApiEndpoint.delete("revoke", "/dashboard/api/sessions/:id", {
      params: { id: PathId },
      success: HttpApiSchema.NoContent,
      error: NotFound
    }).annotateMerge(describe(management, "End a session", "Its next request is UNAUTHENTICATED, on every instance.")),
    HttpApiEndpoint.post("createLink", "/dashboard/api/links", {
      success: DashboardLink.pipe(HttpApiSchema.status(201))
    })
      .annotate(AnswersSecret, true)
      .annotateMerge(
        describe(
          management,
          "Create a link",
          "A link that signs one browser in with the calling key, within 10 minutes."
        )
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Sessions",
      description: "The browsers that are signed in to the dashboard, each with a MANAGEMENT key."
    })
  ) {}
