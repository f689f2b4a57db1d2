import type { Collection, CollectionMember } from "@edp/domain/collections/Collection"
import type { CollectionType } from "@edp/domain/collections/criteria"
import type { Atom, AsyncResult } from "effect/reactivity"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { CollectionsClient, collectionChanged, membersQuery } from "../../../resources/collections.ts"
import { customerChoicesQuery } from "../../../resources/customers.ts"
import { deviceChoicesQuery } from "../../../resources/devices.ts"
import { siteChoicesQuery } from "../../../resources/sites.ts"
import { LinkedRecords } from "../../../kit/LinkedRecords.tsx"
import { addressLine } from "../../../kit/names.ts"
import { CustomerLink, DeviceLink, SiteLink } from "../../../kit/recordLinks.tsx"
import { RecordList } from "../../../kit/RecordList.tsx"
import type { Column } from "../../../kit/Table.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"
import { membership } from "../collectionForm.ts"
import { isDevice, isSite, memberName } from "../memberNames.ts"

const route = pageRoute("/dashboard/collections/$id")

interface Choices {
  readonly data: ReadonlyArray<CollectionMember>
  readonly totalItems?: number
}

type ChoicesQuery = (text: string) => Atom.Atom<AsyncResult.AsyncResult<Choices | { readonly body: Choices }, unknown>>

const choices: Readonly<Record<CollectionType, ChoicesQuery>> = {
  DEVICE: deviceChoicesQuery,
  SITE: siteChoicesQuery,
  CUSTOMER: customerChoicesQuery
}

const MemberLink = ({ member }: { readonly member: CollectionMember }) => {
  const name = memberName(member)
  if (isDevice(member)) return <DeviceLink id={member.id}>{name}</DeviceLink>
  return isSite(member) ? (
    <SiteLink id={member.id}>{name}</SiteLink>
  ) : (
    <CustomerLink id={member.id}>{name}</CustomerLink>
  )
}

/** The members of a collection. Those that are chosen one by one can be added and removed. */
export const Members = ({ collection }: { readonly collection: Collection }) => {
  const t = useMessages("collections")
  const { types } = useMessages("devices")
  const call = useApi(CollectionsClient)
  const { page } = route.useSearch()
  const change = route.useChange()
  const { collectionType, id } = collection
  const kind = membership(collection)
  const note = (member: CollectionMember) =>
    isDevice(member) ? types[member.type] : isSite(member) ? addressLine(member.address) : (member.email ?? "")
  const columns: ReadonlyArray<Column<CollectionMember>> = [
    { id: "name", header: t.name, isName: true, cell: (member) => <MemberLink member={member} /> },
    { id: "note", header: t.types[collectionType], cell: (member) => note(member) || "–" }
  ]
  const list = {
    title: t.members,
    query: membersQuery(id, page),
    paging: { onPage: (next: number) => change({ page: next }) },
    columns,
    none: { icon: "filter", title: t.noMembers, hint: t.noMembersHint[kind] }
  } as const
  if (kind !== "manual" || !collection.isActive) return <RecordList {...list} id={(member) => member.id} />
  return (
    <LinkedRecords
      {...list}
      name={memberName}
      link={{
        label: t.add,
        hint: t.addHint,
        search: choices[collectionType],
        options: (response) => {
          const { data, totalItems = data.length } = "body" in response ? response.body : response
          return {
            options: data.map((member) => ({ id: member.id, label: memberName(member), note: note(member) })),
            isAll: totalItems <= data.length
          }
        },
        act: (memberId) =>
          call(
            (client) => client.collections.addMember({ params: { id, memberId }, query: {} }),
            collectionChanged(id)
          ),
        done: (name) => t.added({ name })
      }}
      unlink={{
        label: t.takeOut,
        title: (name) => t.takeOutTitle({ name }),
        lead: t.takeOutLead,
        act: (memberId) =>
          call(
            (client) => client.collections.removeMember({ params: { id, memberId }, query: {} }),
            collectionChanged(id)
          ),
        done: (name) => t.takenOut({ name })
      }}
    />
  )
}
