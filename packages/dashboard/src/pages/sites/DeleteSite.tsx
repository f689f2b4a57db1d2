import type { Site } from "@edp/domain/sites/Site"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { siteRemoved, SitesClient } from "../../resources/sites.ts"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { siteName } from "../../kit/names.ts"
import { useToast } from "../../kit/Toasts.tsx"

interface DeleteSiteProps {
  readonly site: Site
  readonly open: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Deletes a site, once its name is typed. */
export const DeleteSite = ({ site, open, onClose, onDeleted }: DeleteSiteProps) => {
  const t = useMessages("sites")
  const toast = useToast()
  const call = useApi(SitesClient)
  const name = siteName(site)
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t.removeTitle}
      name={name}
      action={t.removeAction}
      act={async () => {
        await call((client) => client.sites.remove({ params: { id: site.id } }), siteRemoved)
        toast.done(t.removed({ name }))
        onDeleted()
      }}
    >
      {t.removeLead({ devices: site.deviceCount })}
    </ConfirmDialog>
  )
}
