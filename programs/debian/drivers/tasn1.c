// Decodes standard input as DER, as a program does that reads certificates: a choice of the types that they are made of. Then
// it reads what is behind the tag as an OCTET STRING, as GnuTLS does. The input lies in an object of its own size.
#include <libtasn1.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How libtasn1 writes down a tree: has a child, has a brother behind it, has a tag; an explicit tag.
#define DOWN (1U << 29)
#define NEXT (1U << 30)
#define TAGGED (1U << 13)
#define EXPLICIT (1U << 11)

// Message ::= CHOICE { number INTEGER, name OBJECT IDENTIFIER, text OCTET STRING, bits BIT STRING, other [0] EXPLICIT ANY }
static const asn1_static_node definitions[] = {
    {"CLEAVE", DOWN | EXPLICIT | ASN1_ETYPE_DEFINITIONS, NULL},
    {"Message", DOWN | ASN1_ETYPE_CHOICE, NULL},
    {"number", NEXT | ASN1_ETYPE_INTEGER, NULL},
    {"name", NEXT | ASN1_ETYPE_OBJECT_ID, NULL},
    {"text", NEXT | ASN1_ETYPE_OCTET_STRING, NULL},
    {"bits", NEXT | ASN1_ETYPE_BIT_STRING, NULL},
    {"other", DOWN | TAGGED | ASN1_ETYPE_ANY, NULL},
    {NULL, EXPLICIT | ASN1_ETYPE_TAG, "0"},
    {NULL, 0, NULL},
};

int main(void) {
  static unsigned char input[256], octets[1024];
  char why[ASN1_MAX_ERROR_DESCRIPTION_SIZE], value[256];
  asn1_node tree = NULL, message = NULL;
  int length = (int)fread(input, 1, sizeof input, stdin), left = length, taken, found, size = sizeof value;
  unsigned char *der = malloc(length);
  if (length < 2 || !der) return 2;
  memcpy(der, input, length);
  if (asn1_array2tree(definitions, &tree, why) != ASN1_SUCCESS) return 3;
  if (asn1_create_element(tree, "CLEAVE.Message", &message) != ASN1_SUCCESS) return 4;
  int end = asn1_der_decoding2(&message, der, &left, ASN1_DECODE_FLAG_ALLOW_PADDING, why);
  printf("%d\n", end);
  if (end == ASN1_SUCCESS && asn1_read_value(message, "", value, &size) == ASN1_SUCCESS) puts(value);
  printf("%d\n", asn1_get_octet_der(der + 1, length - 1, &taken, octets, sizeof octets, &found));
  asn1_delete_structure(&message);
  asn1_delete_structure(&tree);
  free(der);
  return end != ASN1_SUCCESS;
}
