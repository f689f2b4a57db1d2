import { canonicalTimezone } from "@edp/domain/shared/Timezone"
import type { Site } from "@edp/domain/sites/Site"
import { useId, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { siteChanged, sitesChanged, SitesClient } from "../../resources/sites.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { TextField } from "../../kit/Field.tsx"
import { siteName } from "../../kit/names.ts"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useFields } from "../../kit/useFields.ts"
import { emptySite, formFromSite, type SiteForm, siteChanges, siteToCreate } from "./siteForm.ts"
import "./sites.css"

interface Props {
  readonly open: boolean
  readonly onClose: () => void
  /** The site to change; without one a site is created. */
  readonly site?: Site
  readonly onSaved?: (site: Site) => void
}

const timeZones = Intl.supportedValuesOf("timeZone")

const Form = ({ onClose, site, onSaved }: Omit<Props, "open">) => {
  const t = useMessages("sites")
  const kit = useMessages("kit")
  const toast = useToast()
  const call = useApi(SitesClient)
  const zonesId = useId()
  const [before] = useState(() => (site === undefined ? emptySite : formFromSite(site)))
  const [form, bind] = useFields(before)
  const { run, busy, problem } = useAction(() =>
    site === undefined
      ? call((client) => client.sites.create({ payload: siteToCreate(form) }), sitesChanged)
      : call(
          (client) => client.sites.update({ params: { id: site.id }, payload: siteChanges(before, form) }),
          siteChanged(site.id)
        )
  )
  const bound = bind(problem)
  const field = (name: keyof SiteForm, path?: string) => ({ label: t.fields[name], ...bound(name, path) })
  const submit = async () => {
    const saved = await run()
    if (saved === undefined) return
    toast.done(site === undefined ? t.created({ name: siteName(saved) }) : t.saved)
    onClose()
    onSaved?.(saved)
  }
  const timezone = form.timezone.trim()
  const isTimezone = timezone === "" || canonicalTimezone(timezone) !== undefined
  return (
    <DialogForm
      act={{ busy, problem }}
      action={site === undefined ? t.create : kit.save}
      onSubmit={submit}
      onCancel={onClose}
    >
      <div className="sites-columns">
        <TextField {...field("name")} maxLength={255} />
        <TextField {...field("referenceId")} hint={t.referenceHint} maxLength={1000} />
      </div>
      <fieldset>
        <legend>{t.address}</legend>
        <div className="sites-columns">
          <TextField {...field("streetOne", "address.streetOne")} required maxLength={255} />
          <TextField {...field("streetTwo", "address.streetTwo")} maxLength={255} />
          <TextField {...field("postalCode", "address.postalCode")} required maxLength={20} />
          <TextField {...field("city", "address.city")} required maxLength={100} />
          <TextField {...field("state", "address.state")} required maxLength={100} />
          <TextField {...field("country", "address.country")} placeholder="USA" maxLength={100} />
          <TextField
            {...field("latitude", "location.latitude")}
            type="number"
            step="any"
            min={-90}
            max={90}
            required={form.longitude !== ""}
          />
          <TextField
            {...field("longitude", "location.longitude")}
            type="number"
            step="any"
            min={-180}
            max={180}
            required={form.latitude !== ""}
          />
        </div>
        <p className="hint">{t.locationHint}</p>
      </fieldset>
      <div className="sites-columns">
        <TextField
          {...field("timezone")}
          hint={t.timezoneHint}
          list={zonesId}
          invalid={isTimezone ? undefined : t.noTimezone}
        />
        <TextField {...field("tags")} hint={t.tagsHint} />
        <TextField {...field("maxImportW")} hint={t.maxImportHint} type="number" min={0} step="any" />
        <TextField {...field("maxExportW")} hint={t.maxExportHint} type="number" min={0} step="any" />
      </div>
      <datalist id={zonesId}>
        {timeZones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </DialogForm>
  )
}

/** Creates or changes a site. */
export const SiteDialog = ({ open, ...rest }: Props) => {
  const t = useMessages("sites")
  return (
    <Dialog open={open} onClose={rest.onClose} title={rest.site === undefined ? t.newSite : t.editSite} wide>
      <Form {...rest} />
    </Dialog>
  )
}
