import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { ApiKeyType } from "../auth/ApiKeyType.ts"
import { describe } from "../auth/annotations.ts"
import {
  CollectionNotFound,
  CustomerNotFound,
  DeviceNotFound,
  DuplicateName,
  InvalidCriteria,
  InvalidState,
  SiteNotFound,
  ValidationError,
  WorkspaceNotFound
} from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import {
  Collection,
  CollectionFilters,
  CollectionMember,
  CreateCollection,
  MemberFilters,
  OfWorkspace,
  PreviewCollection,
  UpdateCollection
} from "./Collection.ts"

const keys: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "MANAGEMENT"]
const params = { id: PathId }
const member = { id: PathId, memberId: PathId }

const Members = Page(CollectionMember)

export class CollectionsApi extends HttpApiGroup.make("collections")
  .add(
    HttpApiEndpoint.get("list", "/v1/collections", {
      query: CollectionFilters,
      success: Page(Collection),
      error: [ValidationError, WorkspaceNotFound]
    }).annotateMerge(describe(keys, "List collections", "Newest first, without deleted collections.")),
    HttpApiEndpoint.post("create", "/v1/collections", {
      query: OfWorkspace,
      payload: CreateCollection,
      success: Collection.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, InvalidCriteria, DuplicateName, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Create a collection",
        "`criteria` is a rule `{attribute, operator, value}`, or rules combined by `{all: [...]}`, `{any: [...]}` and `{not: ...}`, nested at most 5 deep, with at most 50 rules in all. The message of INVALID_CRITERIA starts with the path of the first invalid part. A dynamic collection is evaluated at every read. A materialized collection (`dynamic` false) stores its members; while `isActive` they are updated within a minute. With criteria `{}` its members are added and removed one by one."
      )
    ),
    HttpApiEndpoint.post("preview", "/v1/collections/preview", {
      query: MemberFilters,
      payload: PreviewCollection,
      success: Members,
      error: [ValidationError, InvalidCriteria, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Preview criteria",
        "Lists the records that currently meet the criteria, newest first. Nothing is stored. Every record of the type meets `{}`."
      )
    ),
    HttpApiEndpoint.get("get", "/v1/collections/:id", {
      params,
      query: OfWorkspace,
      success: Collection,
      error: [ValidationError, CollectionNotFound, WorkspaceNotFound]
    }).annotateMerge(describe(keys, "Get a collection", "Returns a collection of the workspace.")),
    HttpApiEndpoint.patch("update", "/v1/collections/:id", {
      params,
      query: OfWorkspace,
      payload: UpdateCollection,
      success: Collection,
      error: [ValidationError, InvalidCriteria, DuplicateName, CollectionNotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Update a collection",
        "An absent field is unchanged; `description` null clears it. `criteria` is replaced as a whole. `collectionType` and `dynamic` can't be changed: another value is VALIDATION_ERROR. New criteria, or `isActive` true, update a materialized collection immediately; a frozen one does not change; with criteria `{}` the members are changed one by one."
      )
    ),
    HttpApiEndpoint.delete("remove", "/v1/collections/:id", {
      params,
      query: OfWorkspace,
      success: HttpApiSchema.NoContent,
      error: [ValidationError, CollectionNotFound, WorkspaceNotFound]
    }).annotateMerge(describe(keys, "Delete a collection", "Its members are not changed. Its name can be used again.")),
    HttpApiEndpoint.get("members", "/v1/collections/:id/members", {
      params,
      query: MemberFilters,
      success: Members,
      error: [ValidationError, CollectionNotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(keys, "List members", "Device, Site or Customer records, depending on `collectionType`, newest first.")
    ),
    HttpApiEndpoint.put("addMember", "/v1/collections/:id/members/:memberId", {
      params: member,
      query: OfWorkspace,
      success: HttpApiSchema.NoContent,
      error: [
        ValidationError,
        InvalidState,
        CollectionNotFound,
        DeviceNotFound,
        SiteNotFound,
        CustomerNotFound,
        WorkspaceNotFound
      ]
    }).annotateMerge(
      describe(
        keys,
        "Add a member",
        "204 even if the record is already a member. INVALID_STATE unless the collection is materialized, has criteria `{}` and is not frozen."
      )
    ),
    HttpApiEndpoint.delete("removeMember", "/v1/collections/:id/members/:memberId", {
      params: member,
      query: OfWorkspace,
      success: HttpApiSchema.NoContent,
      error: [
        ValidationError,
        InvalidState,
        CollectionNotFound,
        DeviceNotFound,
        SiteNotFound,
        CustomerNotFound,
        WorkspaceNotFound
      ]
    }).annotateMerge(
      describe(
        keys,
        "Remove a member",
        "A record that is not a member is DEVICE_NOT_FOUND, SITE_NOT_FOUND or CUSTOMER_NOT_FOUND. INVALID_STATE as for adding a member."
      )
    ),
    HttpApiEndpoint.post("refresh", "/v1/collections/:id/refresh", {
      params,
      query: OfWorkspace,
      success: Collection,
      error: [ValidationError, InvalidState, CollectionNotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Refresh a collection",
        "Updates the members of a materialized collection now instead of within a minute. Has no effect on a dynamic collection or one with criteria `{}`; a frozen one is INVALID_STATE."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Collections",
      description:
        "A collection groups devices, sites or customers. A dynamic collection is evaluated at every read; a materialized one stores its members, which follow its criteria, are frozen, or are added one by one. A missing value meets only `ne`, `nin` and `exists: false`; texts are compared case-sensitively; a text and a number are never equal. A MANAGEMENT key acts on its own workspace or on the workspace of its organization that `workspaceId` names."
    })
  ) {}
