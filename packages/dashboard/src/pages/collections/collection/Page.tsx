import { Effect } from "effect"
import type { Collection } from "@edp/domain/collections/Collection"
import { isEmpty } from "@edp/domain/collections/criteria"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { collectionQuery, CollectionsClient, collectionsChanged } from "../../../resources/collections.ts"
import { Button } from "../../../kit/Button.tsx"
import { BatchForm } from "../../../kit/commands/BatchForm.tsx"
import { ConfirmDialog } from "../../../kit/ConfirmDialog.tsx"
import { Dialog } from "../../../kit/Dialog.tsx"
import { Age } from "../../../kit/Figure.tsx"
import { LoadedRecord } from "../../../kit/LoadedRecord.tsx"
import { useToast } from "../../../kit/Toasts.tsx"
import { Badge, Card, Facts, PageHeader } from "../../../kit/components.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"
import { useCriteriaText } from "../../../kit/useCriteriaText.ts"
import { CollectionDialog } from "../CollectionDialog.tsx"
import { membership } from "../collectionForm.ts"
import "../collections.css"
import { Members } from "./Members.tsx"

const route = pageRoute("/dashboard/collections/$id")

const View = ({ collection }: { readonly collection: Collection }) => {
  const t = useMessages("collections")
  const toast = useToast()
  const navigate = useNavigate()
  const call = useApi(CollectionsClient)
  const batch = useMessages("batch")
  const criteriaText = useCriteriaText()
  const [open, setOpen] = useState<"edit" | "delete" | "command">()
  const close = () => setOpen(undefined)
  const { collectionType, criteria, description, id, isActive, name, updatedAt } = collection
  const kind = membership(collection)
  return (
    <>
      <PageHeader
        title={name}
        lead={description}
        above={<Link to="/dashboard/collections">{t.title}</Link>}
        actions={
          <>
            {collectionType === "DEVICE" && (
              <Button icon="send" onClick={() => setOpen("command")}>
                {batch.send}
              </Button>
            )}
            <Button icon="pen" onClick={() => setOpen("edit")}>
              {t.change}
            </Button>
            <Button icon="trash" tone="danger" onClick={() => setOpen("delete")}>
              {t.remove}
            </Button>
          </>
        }
      />
      <Card>
        <Facts
          items={[
            [t.type, t.types[collectionType]],
            [
              t.kind,
              <span key="kind">
                {t.kinds[kind]} {kind === "stored" && !isActive && <Badge>{t.frozen}</Badge>}
                <span className="muted"> {t.kindHints[kind]}</span>
              </span>
            ],
            ...(kind === "manual"
              ? []
              : [[t.criteria, isEmpty(criteria) ? t.everything : criteriaText(criteria)] as const]),
            [t.changed, <Age key="changed" time={updatedAt} />]
          ]}
        />
      </Card>
      <Members collection={collection} />
      <CollectionDialog
        open={open === "edit"}
        stored={collection}
        onClose={close}
        onSaved={() => {
          toast.done(t.saved)
          close()
        }}
      />
      <Dialog open={open === "command"} onClose={close} title={batch.collectionTitle} wide>
        <BatchForm target={async () => ({ collectionId: id })} onClose={close} />
      </Dialog>
      <ConfirmDialog
        open={open === "delete"}
        onClose={close}
        title={t.removeTitle}
        name={name}
        action={t.removeTitle}
        act={async () => {
          await call((client) => client.collections.remove({ params: { id }, query: {} }))
          toast.done(t.removed)
          await navigate({ to: "/dashboard/collections", replace: true })
          // The list is read again where it is shown: nothing else tells it of the removal.
          await call(() => Effect.void, collectionsChanged)
        }}
      >
        {t.removeLead}
      </ConfirmDialog>
    </>
  )
}

export const Page = () => {
  const t = useMessages("collections")
  const id = route.useParams().id
  return (
    <LoadedRecord
      key={id}
      query={collectionQuery(id)}
      title={t.collection}
      above={<Link to="/dashboard/collections">{t.title}</Link>}
    >
      {(collection) => <View collection={collection} />}
    </LoadedRecord>
  )
}
