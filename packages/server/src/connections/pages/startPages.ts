import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { FlowView, ShownManufacturer } from "../flowView.ts"
import {
  addressFields,
  fieldControls,
  mainButton,
  problemSummary,
  stepForm,
  summaryLines,
  personFields
} from "../../platform/pages/controls.ts"
import { attributes, html, type HtmlValue } from "../../platform/pages/html.ts"
import { icons } from "../../platform/pages/icons.ts"
import type { PageParts } from "../../platform/pages/layout.ts"
import { anotherForm, cancelForm } from "./flowControls.ts"
import type { FlowScene } from "./texts/texts.ts"

type View<Name extends FlowView["page"]> = Extract<FlowView, { readonly page: Name }>

export const customerPage = (scene: FlowScene, { form }: View<"customer">): PageParts => {
  const { t, asker } = scene
  const [person, address] = [personFields(t), addressFields(t)]
  const problems = summaryLines(t, [...person, ...address], form)
  return {
    name: "customer",
    heading: t.customer.title,
    hasProblems: problems.length > 0,
    content: html`<p class="lead">${t.customer.lead(asker)}</p>
      ${problemSummary(t.problemsTitle, problems)}
      ${stepForm(
        scene,
        "customer",
        html`<fieldset>
            <legend>${t.person.legend}</legend>
            <div class="fields">${fieldControls(scene, person, form)}</div>
          </fieldset>
          <fieldset>
            <legend>${t.address.legend}</legend>
            <div class="fields">${fieldControls(scene, address, form)}</div>
          </fieldset>
          ${mainButton(t.continue)}`
      )}
      ${cancelForm(scene)}`
  }
}

const SHOWN_TYPES = 3

/** The other types do not help anybody to choose. */
const isTelling = (type: DeviceType) => type !== "other" && type !== "unknown"

const manufacturerButton = ({ t, request }: FlowScene, manufacturer: ShownManufacturer): HtmlValue => {
  const { slug, name, deviceTypes, logoUrl } = manufacturer
  const logo = logoUrl === null ? null : request.logoPath(logoUrl)
  const types = deviceTypes.filter(isTelling).map((type) => t.deviceTypes[type])
  const shown = `${types.slice(0, SHOWN_TYPES).join(", ")}${types.length > SHOWN_TYPES ? "…" : ""}`
  return html`<li>
    <button class="choice" type="submit" name="manufacturer" value="${slug}">
      <span class="tile" aria-hidden="true"
        >${logo === null ? [...name].slice(0, 1).join("") : html`<img src="${logo}" alt="" loading="lazy" />`}</span
      >
      <span class="choice-text"><span class="choice-name">${name}</span><span class="choice-more">${shown}</span></span>
      ${icons.arrow}
    </button>
  </li>`
}

const address = (base: string, search: string, deviceType: string | null) => {
  const query = new URLSearchParams()
  if (search !== "") query.set("search", search)
  if (deviceType !== null) query.set("deviceType", deviceType)
  return query.size === 0 ? base : `${base}?${query}`
}

/** A search and links: both are addresses of their own, so the back button works. */
const manufacturerFilters = ({ t, request: { base } }: FlowScene, view: View<"manufacturers">): HtmlValue => {
  if (base === null) return null
  const { search, deviceType, deviceTypes } = view
  const link = (type: (typeof deviceTypes)[number] | null) =>
    html`<li><a${attributes({ href: address(base, search, type), "aria-current": type === deviceType ? "true" : undefined })}>${type === null ? t.manufacturers.allTypes : t.deviceTypes[type]}</a></li>`
  return html`<form role="search" class="search" method="get" action="${base}">
      <label for="field-search">${t.manufacturers.search}</label>
      <div class="search-row">
        <input
          id="field-search"
          name="search"
          type="search"
          autocomplete="off"
          spellcheck="false"
          maxlength="100"
          value="${search}"
        />
        ${deviceType !== null && html`<input type="hidden" name="deviceType" value="${deviceType}" />`}
        <button class="button plain" type="submit">${icons.search}<span>${t.manufacturers.searchButton}</span></button>
      </div>
    </form>
    ${
      deviceTypes.length > 1 &&
      html`<nav class="filters" aria-label="${t.manufacturers.filter}">
        <ul>
          ${link(null)}${deviceTypes.filter(isTelling).map(link)}
        </ul>
      </nav>`
    }`
}

export const manufacturersPage = (scene: FlowScene, view: View<"manufacturers">): PageParts => {
  const { t, request } = scene
  const { manufacturers, search, deviceType } = view
  const isFiltered = search !== "" || deviceType !== null
  const none = html`<p class="empty">${t.manufacturers.none(search)}</p>`
  const all =
    isFiltered && request.base !== null && html`<p><a href="${request.base}">${t.manufacturers.showAll}</a></p>`
  const list = (shown: ReadonlyArray<ShownManufacturer>) =>
    html`<ul class="choices">
      ${shown.map((each) => manufacturerButton(scene, each))}
    </ul>`
  const ready = manufacturers.filter(({ connectable }) => connectable)
  const later = manufacturers.filter(({ connectable }) => !connectable)
  return {
    name: "manufacturers",
    heading: t.manufacturers.title,
    wide: true,
    content: html`<p class="lead">${t.manufacturers.lead}</p>
      ${manufacturerFilters(scene, view)}
      <h2 class="count">
        ${t.manufacturers.list}<span role="status">${t.manufacturers.found(manufacturers.length)}</span>
      </h2>
      ${manufacturers.length === 0 && none} ${ready.length > 0 && stepForm(scene, "manufacturer", list(ready))}
      ${
        later.length > 0 &&
        html`<h2>${t.manufacturers.notYet}</h2>
          ${stepForm(scene, "manufacturer", list(later), "later")}`
      }
      ${all} ${cancelForm(scene)}`
  }
}

export const unsupportedPage = (scene: FlowScene, view: View<"unsupported">): PageParts => {
  const { t, asker } = scene
  return {
    name: "unsupported",
    heading: t.unsupported.title(view.manufacturer),
    badge: { icon: icons.clock, tone: "plain" },
    content: html`<p class="lead">${t.unsupported.lead(asker, view.manufacturer)}</p>
      ${view.canChooseAnother && anotherForm(scene, t.unsupported.another, "main")} ${cancelForm(scene)}`
  }
}
