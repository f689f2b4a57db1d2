import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NeedsBody, describe } from "../auth/annotations.ts"
import { ReturnsSecret, NeedsFreshSignIn, RequestBody, ServiceErrors } from "../auth/middleware.ts"
import { Forbidden, NotFound, RateLimited, Unauthenticated, ValidationError } from "../errors/ApiErrors.ts"
import { ApiKey } from "../api-keys/ApiKey.ts"
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
          "Starts a session by the token of a link or by a MANAGEMENT key and sets its cookie. A session of the browser ends. A wrong, used or expired token and a wrong key are UNAUTHENTICATED; pages of other sites may not sign in: FORBIDDEN. So is signing in at a host other than that of EDP_PUBLIC_URL and localhost, 127.0.0.1 and [::1]."
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
      query: {
        withMade: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description:
              "true ends what sessions of its browser made, too: keys, open connect sessions, links, and the sessions that began with these. Default: false"
          })
        )
      },
      success: HttpApiSchema.NoContent,
      error: [NotFound, ValidationError]
    })
      .annotate(NeedsFreshSignIn, true)
      .annotateMerge(describe(management, "End a session", "Its next request is UNAUTHENTICATED, on every instance.")),
    HttpApiEndpoint.get("madeKeys", "/dashboard/api/sessions/:id/keys", {
      params: { id: PathId },
      query: paging(),
      success: Page(ApiKey),
      error: [NotFound, ValidationError]
    }).annotateMerge(
      describe(
        management,
        "List the keys that a session made",
        "The valid keys that sessions of this browser made, newest first, with the SCOPED keys of connect sessions that they began."
      )
    ),
    HttpApiEndpoint.post("createLink", "/dashboard/api/links", {
      success: DashboardLink.pipe(HttpApiSchema.status(201))
    })
      .annotate(ReturnsSecret, true)
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
