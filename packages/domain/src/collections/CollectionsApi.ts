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
    }).annotateMerge(describe(keys, "List collections", "Newest first; deleted ones are not listed.")),
    HttpApiEndpoint.post("create", "/v1/collections", {
      query: OfWorkspace,
      payload: CreateCollection,
      success: Collection.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, InvalidCriteria, DuplicateName, WorkspaceNotFound]
    }).annotateMerge(
      describe(
        keys,
        "Create a collection",
        "`criteria` is a rule `{attribute, operator, value}`, or `{all: [...]}`, `{any: [...]}`, `{not: ...}` of such, nested at most 5 deep, with at most 50 rules; the first offending part is named in the message of INVALID_CRITERIA by its path. A dynamic collection is a live query. One that is not dynamic keeps its members: those that meet the criteria when it is created, kept current within a minute while `isActive`. With criteria `{}` its members are put in and taken out one by one."
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
        "The records that meet the criteria now, newest first. Nothing is stored. `{}` is met by every record of the type."
      )
    ),
    HttpApiEndpoint.get("get", "/v1/collections/:id", {
      params,
      query: OfWorkspace,
      success: Collection,
      error: [ValidationError, CollectionNotFound, WorkspaceNotFound]
    }).annotateMerge(describe(keys, "Get a collection", "One collection of the workspace.")),
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
        "An absent field stays as it is; `description` null clears it. `criteria` is one expression and is replaced as a whole. `collectionType` and `dynamic` are fixed: another value than the collection's is VALIDATION_ERROR. New criteria, and an end of freezing, bring a kept set up to date at once; a frozen set stays as it is; criteria `{}` leave the members to be changed by hand."
      )
    ),
    HttpApiEndpoint.delete("remove", "/v1/collections/:id", {
      params,
      query: OfWorkspace,
      success: HttpApiSchema.NoContent,
      error: [ValidationError, CollectionNotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(keys, "Delete a collection", "Its members stay what they are. Its name may be used again.")
    ),
    HttpApiEndpoint.get("members", "/v1/collections/:id/members", {
      params,
      query: MemberFilters,
      success: Members,
      error: [ValidationError, CollectionNotFound, WorkspaceNotFound]
    }).annotateMerge(
      describe(keys, "List members", "Device, Site or Customer records, as the collection's type says, newest first.")
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
        "204 also when it is a member already. INVALID_STATE unless the collection is kept by hand (not dynamic, criteria `{}`) and not frozen."
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
        "What is not a member is DEVICE_NOT_FOUND, SITE_NOT_FOUND or CUSTOMER_NOT_FOUND. INVALID_STATE as when adding one."
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
        "Brings a kept set up to date now instead of within a minute. A dynamic collection and one kept by hand are up to date always; a frozen one is INVALID_STATE."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Collections",
      description:
        "A collection gathers devices, sites or customers. A dynamic one is a live query; a kept one is a set that follows its criteria, is frozen, or is filled by hand. Missing values meet `ne`, `nin` and `exists: false` alone; texts are compared in their case; a text and a number are never equal. A MANAGEMENT key acts on its own workspace or on the one of its organization that `workspaceId` names."
    })
  ) {}
