#include "CIkranCodecs.h"
