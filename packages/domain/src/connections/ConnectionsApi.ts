import { NeedsFreshSignIn } from "../auth/middleware.ts"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BrowserCallable, describe, workspaceKeys } from "../auth/annotations.ts"
import {
  CustomerNotConnectedToSite,
  CustomerNotFound,
  DuplicateConnection,
  Forbidden,
  InvalidLocation,
  LocationServiceError,
  NotFound,
  SiteNotFound,
  SiteNotInWorkspace,
  ValidationError,
  WorkspaceNotFound
} from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { ConnectedAccount, ConnectedAccountFilters } from "./ConnectedAccount.ts"
import { ConnectFunnel, FunnelFilters } from "./ConnectFunnel.ts"
import {
  ConnectionFilters,
  ConnectSession,
  ConnectSessionCreated,
  ConnectSessionDetail,
  CreateConnection
} from "./ConnectSession.ts"

const params = { id: PathId }

export class ConnectionsApi extends HttpApiGroup.make("connections")
  .add(
    HttpApiEndpoint.get("list", "/v1/connections", {
      query: ConnectionFilters,
      success: Page(ConnectSession),
      error: ValidationError
    }).annotateMerge(describe(workspaceKeys, "List connect sessions", "Newest first.")),
    HttpApiEndpoint.post("create", "/v1/connections", {
      payload: CreateConnection,
      success: ConnectSessionCreated.pipe(HttpApiSchema.status(201)),
      error: [
        ValidationError,
        CustomerNotFound,
        SiteNotFound,
        SiteNotInWorkspace,
        NotFound,
        Forbidden,
        InvalidLocation,
        LocationServiceError,
        CustomerNotConnectedToSite,
        DuplicateConnection
      ]
    })
      .annotate(BrowserCallable, true)
      .annotate(NeedsFreshSignIn, true)
      .annotateMerge(
        describe(
          ["SERVER", "API", "CONNECT"],
          "Create a connect session",
          "Starts the onboarding of a person's devices. Send the person to `url`; it works until `expiresAt`, 24 hours from now unless the deployment has another time. At the end the customer is found by `customerId`, else by `referenceId`, else by e-mail address, or created; so is the site, by `siteId`, else by address.\n\nWith `mode: headless`, `url` is the manufacturer's own sign-in page. It requires `redirectUrl`, exactly one manufacturer, whose accounts are linked by OAuth 2.0, and one of: `customerId` of a customer with a site (otherwise CUSTOMER_NOT_CONNECTED_TO_SITE); `customerId` and a `siteId` of that customer; `customerInfo` with `firstName`, `lastName`, `email` and `location`. DUPLICATE_CONNECTION: an account of that manufacturer is connected for the `referenceId`, and the body does not have `additional: true`; with a CONNECT key this is not told.\n\n`reconnect` signs in again to a connected account; an id that is neither a session nor an account of the workspace is NOT_FOUND, and a CONNECT key may name its own sessions only, else FORBIDDEN.\n\nWith a CONNECT key, which every visitor of a page can read, no stored personal data is shown, an e-mail address that the person types matches no existing customer, and the scoped key covers only the devices that the session connected. Its `redirectUrl` must be one of the workspace's `connectRedirects`.\n\nThe scoped key is handed out once: to the browser that began the sign-in, headless with the return whose code was accepted."
        )
      ),
    HttpApiEndpoint.get("get", "/v1/connections/:id", {
      params,
      success: ConnectSessionDetail,
      error: [NotFound, Forbidden]
    }).annotateMerge(
      describe(
        ["SERVER", "API", "CONNECT"],
        "Get a connect session",
        "With its status changes, latest error, consent and devices. A CONNECT key may read the sessions that it created; others are FORBIDDEN."
      )
    ),
    HttpApiEndpoint.delete("remove", "/v1/connections/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: NotFound
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Disconnect a session",
        "An open session becomes EXPIRED. After SUCCESS the account is disconnected: its permission at the manufacturer is revoked, its devices are disconnected and keep their history, and the scoped keys of its sessions stop working. The session can still be read; a second DELETE is NOT_FOUND."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Connections",
      description:
        "A connect session lets a person link an account at a manufacturer, or a local device, on hosted pages or on the manufacturer's page. Its devices then report by themselves and take commands. Statuses: PENDING, STARTED, ENTERING_CUSTOMER_INFO, SELECTING_MANUFACTURER, AUTHORIZING_MANUFACTURER, ENTERING_SYSTEM_INFO, SUCCESS; steps that need nothing from the person are skipped. UNSUPPORTED_MANUFACTURER leads back to the selection; DUPLICATE_CONNECTION (the very account, or all of its devices, is connected already) and EXPIRED are final; after ERROR, which emits CONNECTION_FAILED, the person may try again."
    })
  ) {}

export class ConnectFunnelApi extends HttpApiGroup.make("connectFunnel")
  .add(
    HttpApiEndpoint.get("get", "/dashboard/api/connect-funnel", {
      query: FunnelFilters,
      success: ConnectFunnel,
      error: [ValidationError, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Get the funnel of connect sessions",
        "How many sessions reached each step, how long they stayed there, and with which error they failed, by manufacturer. The time covers at most 92 days."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Connect funnel", description: "How far connect sessions came, by manufacturer." })
  ) {}

export class ConnectedAccountsApi extends HttpApiGroup.make("connectedAccounts")
  .add(
    HttpApiEndpoint.get("list", "/dashboard/api/connected-accounts", {
      query: ConnectedAccountFilters,
      success: Page(ConnectedAccount),
      error: ValidationError
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "List connected accounts",
        "The accounts of the workspace that a person has connected, newest first, also those that failed or were disconnected. Disconnect one with DELETE /v1/connections/:id and its `sessionId`."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Connected accounts", description: "Accounts at manufacturers and their state." })
  ) {}
