import type { Site, Weather } from "@edp/domain/sites/Site"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { workspaceAtom } from "../../../api/session.ts"
import { useDisplayUnits } from "../../../api/displayUnits.ts"
import { formatQuantity, formatShare, type Unit } from "../../../i18n/format.ts"
import { formatShown } from "../../../i18n/units.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { siteWithWeatherQuery } from "../../../resources/sites.ts"
import { Button } from "../../../kit/Button.tsx"
import { Age } from "../../../kit/Figure.tsx"
import { LoadedRecord } from "../../../kit/LoadedRecord.tsx"
import { addressLine, siteName } from "../../../kit/names.ts"
import { Badge, Card, Facts, PageHeader } from "../../../kit/components.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"
import { useAtomValue } from "../../../state/atoms.ts"
import { DeleteSite } from "../DeleteSite.tsx"
import { SiteDialog } from "../SiteDialog.tsx"
import "../sites.css"
import { OpenAlerts, Schedules } from "./Concerns.tsx"
import { Customers } from "./Customers.tsx"
import { Devices } from "./Devices.tsx"
import { Today } from "./Today.tsx"

const route = pageRoute("/dashboard/sites/$id")

const WeatherNow = ({ weather }: { readonly weather: Weather }) => {
  const t = useMessages("sites")
  const language = useLanguage()
  const units = useDisplayUnits()
  const show = (value: number, unit: Unit) => formatShown(language, value, unit, units)
  return (
    <>
      {show(weather.temperature, "°F")}, {t.conditions[weather.condition]},{" "}
      {t.clouds({ share: formatShare(language, weather.cloudCover / 100) })},{" "}
      {t.wind({ speed: show(weather.windSpeed, "mph") })}{" "}
      <span className="muted">
        <Age time={weather.observedAt} />
      </span>
    </>
  )
}

const SiteFacts = ({ site }: { readonly site: Site }) => {
  const t = useMessages("sites")
  const language = useLanguage()
  const workspace = useAtomValue(workspaceAtom)
  const limit = (watts: number | null | undefined) =>
    watts === null || watts === undefined ? t.noLimit : formatQuantity(language, watts, "W")
  return (
    <Card>
      <Facts
        items={[
          [t.address, addressLine(site.address)],
          [t.location, site.location && `${site.location.latitude}, ${site.location.longitude}`],
          [t.fields.timezone, site.timezone ?? t.workspaceZone({ zone: workspace?.timezone ?? "UTC" })],
          [t.fields.maxImportW, limit(site.maxImportW)],
          [t.fields.maxExportW, limit(site.maxExportW)],
          [t.fields.referenceId, site.referenceId],
          [
            t.fields.tags,
            site.tags.length > 0 && (
              <span className="sites-tags">
                {site.tags.map((tag) => (
                  <Badge key={tag}>{tag}</Badge>
                ))}
              </span>
            )
          ],
          [
            t.weather,
            site.weather ? <WeatherNow weather={site.weather} /> : <span className="muted">{t.noWeather}</span>
          ]
        ].map(([term, value]) => [term, value || null] as const)}
      />
    </Card>
  )
}

const View = ({ site }: { readonly site: Site }) => {
  const t = useMessages("sites")
  const navigate = useNavigate()
  const workspace = useAtomValue(workspaceAtom)
  const [open, setOpen] = useState<"edit" | "delete">()
  const close = () => setOpen(undefined)
  return (
    <>
      <PageHeader
        title={siteName(site)}
        above={<Link to="/dashboard/sites">{t.title}</Link>}
        actions={
          <>
            <Button icon="pen" onClick={() => setOpen("edit")}>
              {t.edit}
            </Button>
            <Button icon="trash" tone="danger" onClick={() => setOpen("delete")}>
              {t.remove}
            </Button>
          </>
        }
      />
      <SiteFacts site={site} />
      <Today site={site} timeZone={site.timezone ?? workspace?.timezone ?? "UTC"} />
      <Devices site={site} />
      <div className="grid wide">
        <Customers site={site} />
        <OpenAlerts site={site} />
        <Schedules site={site} />
      </div>
      <SiteDialog open={open === "edit"} onClose={close} site={site} />
      <DeleteSite
        site={site}
        open={open === "delete"}
        onClose={close}
        onDeleted={() => void navigate({ to: "/dashboard/sites" })}
      />
    </>
  )
}

export const Page = () => {
  const t = useMessages("sites")
  const id = route.useParams().id
  return (
    <LoadedRecord
      key={id}
      query={siteWithWeatherQuery(id)}
      title={t.site}
      above={<Link to="/dashboard/sites">{t.title}</Link>}
    >
      {(site) => <View site={site} />}
    </LoadedRecord>
  )
}
