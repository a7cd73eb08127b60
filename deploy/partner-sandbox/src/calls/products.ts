import { dollars, PRODUCTS } from '../catalog/products.ts'
import { type Call, COMMON_FIELDS, currentPrice, SUCCESS } from './call.ts'
import type { Fields } from './fields.ts'

/** `/api/photo/products/v3`: the catalogue of a product group, or all of it. */
export function listProducts(call: Call): Fields {
  const { request } = call
  request.expectOnly(...COMMON_FIELDS, 'productGroupId')
  const group = request.optionalText('productGroupId')
  const products = PRODUCTS.filter(({ productGroupId }) => !group || productGroupId === group).map((product) => ({
    productId: product.productId,
    productGroupId: product.productGroupId,
    productDesc: product.productDesc,
    productPrice: dollars(currentPrice(call, product)),
    currencyType: 'USD',
    productSize: product.productSize,
    resWidth: String(product.width * product.dpi),
    resHeight: String(product.height * product.dpi),
    dpi: String(product.dpi),
    multiImageIndicator: 'false',
    boxQty: '1',
    vendorQtyLimit: '999',
    templateUrl: '',
  }))
  return { ...SUCCESS, products }
}
