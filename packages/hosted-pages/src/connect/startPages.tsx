import { Button } from "@edp/dashboard/kit/Button.tsx"
import { Icon } from "@edp/dashboard/kit/Icon.tsx"
import { Notice } from "@edp/dashboard/kit/components.tsx"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { addressFields, Fields, personFields, ProblemSummary, summaryLines } from "../kit/fields.tsx"
import { Page } from "../kit/Page.tsx"
import { SendButton, StepForm } from "../kit/StepForm.tsx"
import { AnotherForm, CancelForm, type ViewProps } from "./flowControls.tsx"
import type { ShownManufacturer } from "./pageTypes.ts"
import type { FlowScene } from "./messages.ts"

export const CustomerPage = ({ scene, view: { form } }: ViewProps<"customer">) => {
  const { t, asker } = scene
  const [person, address] = [personFields(t), addressFields(t)]
  const problems = summaryLines(t, [...person, ...address], form)
  return (
    <Page scene={scene} name="customer" heading={t.customer.title} hasProblems={problems.length > 0}>
      <p className="lead">{t.customer.lead({ asker })}</p>
      <ProblemSummary title={t.problemsTitle} lines={problems} />
      <StepForm scene={scene} step="customer">
        <Fields scene={scene} fields={person} form={form} legend={t.person.legend} />
        <Fields scene={scene} fields={address} form={form} legend={t.address.legend} />
        <SendButton>{t.continue}</SendButton>
      </StepForm>
      <CancelForm scene={scene} />
    </Page>
  )
}

const SHOWN = 3

const few = (names: ReadonlyArray<string>) => `${names.slice(0, SHOWN).join(", ")}${names.length > SHOWN ? "…" : ""}`

/** The other types do not help anybody to choose. */
const isTelling = (type: DeviceType) => type !== "other" && type !== "unknown"

interface ManufacturerProps {
  readonly scene: FlowScene
  readonly manufacturer: ShownManufacturer
}

const ManufacturerButton = ({ scene: { t, request }, manufacturer }: ManufacturerProps) => {
  const { slug, name, deviceTypes, logoUrl, products } = manufacturer
  const logo = logoUrl === null ? null : request.logoPath(logoUrl)
  const types = deviceTypes.filter(isTelling).map((type) => t.deviceTypes[type])
  return (
    <button className="choice" type="submit" name="manufacturer" value={slug}>
      <span className="tile" aria-hidden="true">
        {logo === null ? [...name].slice(0, 1).join("") : <img src={logo} alt="" loading="lazy" />}
      </span>
      <span className="choice-text">
        <span className="choice-name">{name}</span>
        <span className="choice-more">{products.length > 0 ? few(products) : few(types)}</span>
      </span>
      <Icon name="right" />
    </button>
  )
}

interface ManufacturersProps {
  readonly scene: FlowScene
  readonly manufacturers: ReadonlyArray<ShownManufacturer>
  readonly className: "ready" | "later"
}

const Manufacturers = ({ scene, manufacturers, className }: ManufacturersProps) => (
  <StepForm scene={scene} step="manufacturer" className={className}>
    <ul className="choices">
      {manufacturers.map((manufacturer) => (
        <li key={manufacturer.slug}>
          <ManufacturerButton scene={scene} manufacturer={manufacturer} />
        </li>
      ))}
    </ul>
  </StepForm>
)

const address = (base: string, search: string, deviceType: string | null) => {
  const query = new URLSearchParams()
  if (search !== "") query.set("search", search)
  if (deviceType !== null) query.set("deviceType", deviceType)
  return query.size === 0 ? base : `${base}?${query}`
}

/** A search and links: both are addresses of their own, so the back button works. */
const ManufacturerFilters = ({ scene, view }: ViewProps<"manufacturers">) => {
  const { t, request } = scene
  const { base } = request
  if (base === null) return null
  const { search, deviceType, deviceTypes } = view
  return (
    <>
      <form role="search" className="search" method="get" action={base}>
        <div className="field">
          <label htmlFor="field-search">{t.manufacturers.search}</label>
          <div className="search-row">
            <input
              id="field-search"
              name="search"
              type="search"
              autoComplete="off"
              spellCheck={false}
              maxLength={100}
              defaultValue={search}
            />
            {deviceType !== null && <input type="hidden" name="deviceType" value={deviceType} />}
            <Button type="submit" icon="search">
              <span className="hidden">{t.manufacturers.searchButton}</span>
            </Button>
          </div>
        </div>
      </form>
      {deviceTypes.length > 1 && (
        <nav className="filters" aria-label={t.manufacturers.filter}>
          <ul>
            {[null, ...deviceTypes.filter(isTelling)].map((type) => (
              <li key={type}>
                <a href={address(base, search, type)} aria-current={type === deviceType || undefined}>
                  {type === null ? t.manufacturers.allTypes : t.deviceTypes[type]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </>
  )
}

export const ManufacturersPage = ({ scene, view }: ViewProps<"manufacturers">) => {
  const { t, request } = scene
  const { manufacturers, search, deviceType } = view
  const isFiltered = search !== "" || deviceType !== null
  const ready = manufacturers.filter(({ connectable }) => connectable)
  const later = manufacturers.filter(({ connectable }) => !connectable)
  return (
    <Page scene={scene} name="manufacturers" heading={t.manufacturers.title} wide>
      <p className="lead">{t.manufacturers.lead}</p>
      <ManufacturerFilters scene={scene} view={view} />
      <h2 className="count">
        {t.manufacturers.list}
        <span role="status">{t.manufacturers.found({ count: manufacturers.length })}</span>
      </h2>
      {manufacturers.length === 0 && (
        <Notice state="plain">{search === "" ? t.manufacturers.none : t.manufacturers.noMatch({ search })}</Notice>
      )}
      {ready.length > 0 && <Manufacturers scene={scene} manufacturers={ready} className="ready" />}
      {later.length > 0 && (
        <>
          <h2>{t.manufacturers.notYet}</h2>
          <Manufacturers scene={scene} manufacturers={later} className="later" />
        </>
      )}
      {isFiltered && request.base !== null && (
        <p>
          <a href={request.base}>{t.manufacturers.showAll}</a>
        </p>
      )}
      <CancelForm scene={scene} />
    </Page>
  )
}

export const UnsupportedPage = ({ scene, view }: ViewProps<"unsupported">) => {
  const { t } = scene
  return (
    <Page
      scene={scene}
      name="unsupported"
      heading={t.unsupported.title({ manufacturer: view.manufacturer })}
      emblem={{ icon: "clock", tone: "plain" }}
    >
      <p className="lead">{t.unsupported.lead({ manufacturer: view.manufacturer })}</p>
      {view.canChooseAnother && <AnotherForm scene={scene} tone="main" />}
      <CancelForm scene={scene} />
    </Page>
  )
}
